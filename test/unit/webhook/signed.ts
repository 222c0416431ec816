import { createHmac } from 'node:crypto';
import type { SignedRequest } from '../../../src/webhook/verify-request.ts';

export const address = 'https://site.example/api/articles';

/** The example of the Standard Webhooks specification's own libraries (test "sign function works"). */
export const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  seconds: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

interface Delivery {
  id?: string;
  /** Seconds since 1970. */
  seconds?: number;
  body?: string;
  signature?: string;
}

/** Returns the headers of a signed delivery. */
export function standardHeaders({
  id = example.id,
  seconds = example.seconds,
  body = example.body,
  signature = standardSignature({ id, seconds, body }),
}: Delivery = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signature,
  };
}

export function standardSignature(
  { id = example.id, seconds = example.seconds, body = example.body }: Delivery,
  key: string | Buffer = Buffer.from(example.secret.slice('whsec_'.length), 'base64'),
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

export function hubSignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export function signedRequest(
  headers: Record<string, string>,
  { body = example.body, query = '' } = {},
): SignedRequest {
  return {
    url: new URL(address + query),
    headers: new Headers(headers),
    body: new TextEncoder().encode(body),
  };
}
