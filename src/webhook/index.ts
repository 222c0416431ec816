export type { WebhookAction, WebhookEvent } from './actions.ts';
export { deployHook, type GithubDispatchOptions, githubDispatch } from './actions.ts';
export type { ActionReport } from './bursts.ts';
export {
  type PreviewUrlOptions,
  type PreviewVerdict,
  previewUrl,
  verifyPreview,
} from './preview.ts';
export { type PurgeOptions, purge } from './purge.ts';
export { type Verdict, type VerifyOptions, verifyRequest } from './verify-request.ts';
export { type WebhookHandler, type WebhookOptions, webhook } from './webhook.ts';
