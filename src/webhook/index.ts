export {
  type ActionReport,
  deployHook,
  type GithubDispatchOptions,
  githubDispatch,
  type WebhookAction,
  type WebhookEvent,
} from './actions.ts';
export {
  type PreviewUrlOptions,
  type PreviewVerdict,
  previewUrl,
  type VerifyPreviewOptions,
  verifyPreview,
} from './preview.ts';
export { type PurgeableCache, type PurgeOptions, purge } from './purge.ts';
export {
  type SignedRequest,
  type Verdict,
  type VerifyOptions,
  verifyRequest,
} from './verify-request.ts';
export { type WebhookHandler, type WebhookOptions, webhook } from './webhook.ts';
