export {
  type SignedRequest,
  type Verdict,
  type VerifyOptions,
  verifyRequest,
} from '../shared/verify-request.ts';
export {
  type ActionReport,
  deployHook,
  type GithubDispatchOptions,
  githubDispatch,
  type WebhookAction,
  type WebhookEvent,
} from './actions.ts';
export { type PurgeableCache, type PurgeOptions, purge } from './purge.ts';
export { type WebhookHandler, type WebhookOptions, webhook } from './webhook.ts';
