import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretProblem } from '../../../src/shared/secret.ts';
import { type VerifyOptions, verifyRequest } from '../../../src/webhook/verify-request.ts';
import { runs } from '../../helpers/runs.ts';
import {
  example,
  hubSignature,
  signedRequest,
  standardHeaders,
  standardSignature,
} from './signed.ts';

const date = example.seconds * 1000;
const options: VerifyOptions = { secret: example.secret, date };
const wrong = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

async function statusOf(
  headers: Record<string, string>,
  {
    body = example.body,
    query = '',
    ...changes
  }: Partial<VerifyOptions> & {
    body?: string;
    query?: string;
  } = {},
) {
  const verdict = await verifyRequest(signedRequest(headers, { body, query }), {
    ...options,
    ...changes,
  });
  return verdict.status;
}

describe('Standard Webhooks', () => {
  test('accepts the published example', async () => {
    expect(standardSignature({})).toBe(example.signature);
    expect(await statusOf(standardHeaders({ signature: example.signature }))).toBe('valid');
  });

  test('accepts the secret without its prefix', async () => {
    const plain = example.secret.slice('whsec_'.length);
    expect(await statusOf(standardHeaders(), { secret: plain })).toBe('valid');
  });

  test('accepts one valid signature among several of all versions', async () => {
    const signatures = [wrong, wrong.replace('v1', 'v2'), example.signature, wrong].join(' ');
    expect(await statusOf(standardHeaders({ signature: signatures }))).toBe('valid');
  });

  test.each<[string, Record<string, string | undefined>]>([
    ['a wrong signature', { 'webhook-signature': wrong }],
    ['the beginning of a signature', { 'webhook-signature': example.signature.slice(0, 8) }],
    ['an empty signature', { 'webhook-signature': 'v1,' }],
    ['another version', { 'webhook-signature': example.signature.replace('v1', 'v1a') }],
    ['no version', { 'webhook-signature': example.signature.slice('v1,'.length) }],
    ['a signature that is not base64', { 'webhook-signature': 'v1,dawfeoifkpqwoekfpqoekf!' }],
    ['no signature', { 'webhook-signature': undefined }],
    ['no id', { 'webhook-id': undefined }],
    ['no time', { 'webhook-timestamp': undefined }],
    ...['hello', '', '-1', '1e9', '1614265330.5', ' '].map(
      (time): [string, Record<string, string>] => [
        `the time ${JSON.stringify(time)}`,
        {
          'webhook-signature': standardSignature({ seconds: time as unknown as number }),
          'webhook-timestamp': time,
        },
      ],
    ),
  ])('refuses a request with %s', async (_, changes) => {
    const headers = Object.entries({ ...standardHeaders(), ...changes });
    const given = headers.filter((header): header is [string, string] => header[1] !== undefined);
    expect(await statusOf(Object.fromEntries(given))).toBe('refused');
  });

  test.each([
    [-301, 'refused'],
    [-300, 'valid'],
    [300, 'valid'],
    [301, 'refused'],
  ])('a request that is %d seconds away is %s', async (difference, status) => {
    const seconds = example.seconds + difference;
    expect(await statusOf(standardHeaders({ seconds }))).toBe(status);
  });

  test('accepts the sender’s next attempt, which has a new timestamp', async () => {
    const deliveries = new Map<string, number>();
    await statusOf(standardHeaders(), { deliveries });
    const again = standardHeaders({ seconds: example.seconds + 1 });
    expect(await statusOf(again, { deliveries })).toBe('valid');
  });

  test('remembers a delivery until its timestamp is too old', async () => {
    const deliveries = new Map<string, number>();
    await statusOf(standardHeaders(), { deliveries });
    const late = date + 5 * 60_000;
    expect(await statusOf(standardHeaders(), { deliveries, date: late })).toBe('refused');
    expect(deliveries.size).toBe(1);
    const other = standardHeaders({ id: 'msg_2', seconds: example.seconds + 301 });
    await statusOf(other, { deliveries, date: late + 1 });
    expect([...deliveries.keys()]).toEqual([`msg_2.${example.seconds + 301}`]);
  });

  test('a forged request does not use up a delivery', async () => {
    const deliveries = new Map<string, number>();
    await statusOf(standardHeaders({ signature: wrong }), { deliveries });
    expect(await statusOf(standardHeaders(), { deliveries })).toBe('valid');
  });

  test('refuses a full stop in the id, which would make the signed text ambiguous', async () => {
    const body = `${example.seconds}.{}`;
    const signature = standardSignature({ id: 'msg', seconds: 1, body });
    const headers = standardHeaders({ id: 'msg.1', signature });
    expect(await statusOf(headers, { body: '{}' })).toBe('refused');
  });
});

describe('X-Hub-Signature-256', () => {
  test('accepts the example of the GitHub documentation', async () => {
    const header = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const signed = { secret: "It's a Secret to Everybody", body: 'Hello, World!' };
    expect(await statusOf({ 'x-hub-signature-256': header }, signed)).toBe('valid');
    expect(await statusOf({ 'x-hub-signature-256': header.toUpperCase() }, signed)).toBe('valid');
    expect(await statusOf({ 'x-hub-signature-256': header }, { ...signed, body: 'x' })).toBe(
      'refused',
    );
  });

  test.each(['', 'sha256=', 'sha1=00', `sha256=${'0'.repeat(64)}`, `sha256=${'g'.repeat(64)}`])(
    'refuses %j',
    async (header) => {
      expect(await statusOf({ 'x-hub-signature-256': header })).toBe('refused');
    },
  );
});

describe('shared secret', () => {
  const secret = 'päss wörd+&= of tests';

  test('accepts it as a query parameter and as a bearer token', async () => {
    const query = `?secret=${encodeURIComponent(secret)}`;
    expect(await statusOf({}, { secret, query })).toBe('valid');
    for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
      const authorization = `${scheme} ${example.secret}`;
      expect(await statusOf({ authorization })).toBe('valid');
    }
  });

  test.each([
    ['nothing', {}, ''],
    ['another secret', {}, '?secret=other'],
    ['an empty secret', {}, '?secret='],
    ['the beginning of the secret', {}, `?secret=${example.secret.slice(0, -1)}`],
    ['more than the secret', {}, `?secret=${example.secret}x`],
    ['another scheme', { authorization: `Basic ${example.secret}` }, ''],
    ['no token', { authorization: 'Bearer ' }, ''],
  ])('refuses %s', async (_, headers: Record<string, string>, query) => {
    expect(await statusOf(headers, { query })).toBe('refused');
  });

  test('one valid secret or signature is enough', async () => {
    const headers = standardHeaders({ signature: wrong });
    expect(await statusOf(headers, { query: `?secret=${example.secret}` })).toBe('valid');
  });
});

test('a refusal contains neither the secret nor a signature', async () => {
  const secret = 'a-very-secret-value';
  for (const headers of [
    {},
    standardHeaders(),
    { 'x-hub-signature-256': hubSignature('other', 'x') },
  ]) {
    const verdict = await verifyRequest(signedRequest(headers, { query: '?secret=given' }), {
      secret,
      date,
    });
    expect(JSON.stringify(verdict)).not.toMatch(/a-very-secret|given|v1,|sha256=/);
  }
});

test.each([
  [undefined, 'missing'],
  ['fifteen letters', 'at least 16 bytes'],
  ['whsec_not base64, and longer than 16', 'not base64'],
  [`whsec_${btoa('fifteen letters')}`, 'at least 16 bytes after decoding'],
  [`whsec_${btoa('a'.repeat(32))}`, 'one repeated character'],
])('the secret %j is refused with a reason that does not contain it', async (secret, reason) => {
  const verdict = verifyRequest(signedRequest({}), { secret });
  await expect(verdict).rejects.toThrow(reason);
  if (secret) await expect(verdict).rejects.not.toThrow(secret);
});

test('no text is decoded to a key that can be guessed', async () => {
  // Longer than 16 characters, and one repeated byte in base64.
  const secret = btoa('\0'.repeat(24));
  const signature = standardSignature({}, Buffer.alloc(24));
  expect(await statusOf(standardHeaders({ signature }), { secret: `QUFB${secret}` })).toBe(
    'refused',
  );
  expect(await statusOf(standardHeaders({ signature }), { secret: secret.replace('A', 'B') })).toBe(
    'refused',
  );
});

test('a signature is valid only with the secret, for any id, time and body', async () => {
  const id = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcXYZ019_-') });
  const secrets = fc
    .string({ minLength: 16, unit: 'binary' })
    .filter((text) => text.isWellFormed() && !secretProblem(text) && !text.startsWith('whsec_'));
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      secrets,
      secrets,
      id,
      fc.string({ unit: 'binary' }),
      fc.integer({ min: -300, max: 300 }),
      async (secret, forger, id, body, difference) => {
        // An HMAC key is padded with zeros (RFC 2104), so these two are the same key.
        fc.pre(secret.replace(/\0+$/, '') !== forger.replace(/\0+$/, ''));
        const seconds = example.seconds + difference;
        const proofs = (key: string) => [
          standardHeaders({
            id,
            seconds,
            signature: standardSignature({ id, seconds, body }, key),
          }),
          { 'x-hub-signature-256': hubSignature(key, body) },
        ];
        for (const headers of proofs(secret)) {
          expect(await statusOf(headers, { secret, body })).toBe('valid');
          expect(await statusOf(headers, { secret, body: `${body}.` })).toBe('refused');
        }
        for (const headers of proofs(forger)) {
          expect(await statusOf(headers, { secret, body })).toBe('refused');
        }
        checked += 1;
      },
    ),
    runs(50),
  );
  expect(checked).toBeGreaterThan(0);
});
