import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretProblem } from '../../../src/webhook/secret.ts';
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
const wrong = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

interface Changes extends Partial<VerifyOptions> {
  body?: string;
  query?: string;
}

async function statusOf(
  headers: Record<string, string>,
  { body = example.body, query = '', ...options }: Changes = {},
) {
  const request = signedRequest(headers, { body, query });
  const verdict = await verifyRequest(request, { secret: example.secret, date, ...options });
  return verdict.status;
}

type Row = [name: string, headers: Record<string, string>, changes?: Changes];

const at = (seconds: number) => standardHeaders({ seconds: example.seconds + seconds });
/** The example of the GitHub documentation. */
const hub = {
  header: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  sent: { secret: "It's a Secret to Everybody", body: 'Hello, World!' },
};
const odd = 'päss wörd+&= of tests';

test.each<Row>([
  ['the example of Standard Webhooks', standardHeaders({ signature: example.signature })],
  [
    'one valid signature among several of all versions',
    standardHeaders({ signature: `${wrong} v2,${wrong.slice(3)} ${example.signature} ${wrong}` }),
  ],
  ['a request of five minutes ago', at(-300)],
  ['a request of a clock that is five minutes ahead', at(300)],
  ['GitHub’s example in capitals', { 'x-hub-signature-256': hub.header.toUpperCase() }, hub.sent],
  ['a secret in the query', {}, { secret: odd, query: `?secret=${encodeURIComponent(odd)}` }],
  ['a secret as a bearer token', { authorization: `BEARER  ${example.secret}` }],
  [
    'a secret with blanks as a bearer token',
    { authorization: 'Bearer some words of a secret' },
    { secret: 'some words of a secret' },
  ],
  [
    'a secret behind a wrong one in the query',
    {},
    { query: `?secret=wrong&secret=${example.secret}` },
  ],
  [
    'a secret next to a wrong signature',
    standardHeaders({ signature: wrong }),
    { query: `?secret=${example.secret}` },
  ],
])('accepts %s', async (_, headers, changes) => {
  expect(await statusOf(headers, changes)).toBe('valid');
});

const without = (name: string) => {
  const { [name]: _, ...others } = standardHeaders();
  return others;
};

test.each<Row>([
  ...[wrong, 'v1,', 'v1,dawfeoifkpqwoekfpqoekf!']
    .concat(example.signature.slice(0, 8), example.signature.slice('v1,'.length))
    .concat(example.signature.replace('v1', 'v1a'))
    .map((signature): Row => [`the signature ${signature}`, standardHeaders({ signature })]),
  ...Object.keys(standardHeaders()).map((name): Row => [`no ${name}`, without(name)]),
  ...['hello', '', '-1', '1e9', '1614265330.5', ' '].map((time): Row => {
    return [`the time ${JSON.stringify(time)}`, standardHeaders({ seconds: time as never })];
  }),
  ['a request that is too old', at(-301)],
  ['a request that is too far ahead', at(301)],
  [
    'a full stop in the id, which would make the signed text ambiguous',
    standardHeaders({
      id: 'msg.1',
      signature: standardSignature({ id: 'msg', seconds: 1, body: `${example.seconds}.{}` }),
    }),
    { body: '{}' },
  ],
  ...['', 'sha256=', 'sha1=00', `sha256=${'0'.repeat(64)}`, `sha256=${'g'.repeat(64)}`].map(
    (header): Row => [`the GitHub signature ${header}`, { 'x-hub-signature-256': header }],
  ),
  ['an empty secret', {}, { query: '?secret=' }],
  ['the beginning of the secret', {}, { query: `?secret=${example.secret.slice(0, -1)}` }],
  ['more than the secret', {}, { query: `?secret=${example.secret}x` }],
  ['another scheme', { authorization: `Basic ${example.secret}` }],
  ['a token without a blank', { authorization: `Bearer${example.secret}` }],
  ['two schemes', { authorization: `Basic Bearer ${example.secret}` }],
  ['an empty id', standardHeaders({ id: '' })],
  ['no token', { authorization: 'Bearer ' }],
])('refuses %s', async (_, headers, changes) => {
  expect(await statusOf(headers, changes)).toBe('refused');
});

describe('a delivery', () => {
  test('is accepted again with a new timestamp, as the next attempt of its sender', async () => {
    const deliveries = new Map<string, number>();
    await statusOf(at(0), { deliveries });
    expect(await statusOf(at(1), { deliveries })).toBe('valid');
  });

  test('is accepted once, however far the clock of its sender is from this one', async () => {
    const offset = fc.integer({ min: -300, max: 300 });
    const later = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 5, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(offset, later, async (seconds, times) => {
        const deliveries = new Map<string, number>();
        expect(await statusOf(at(seconds), { deliveries })).toBe('valid');
        for (const time of [...times, seconds + 300].toSorted((a, b) => a - b)) {
          const now = date + Math.max(0, time) * 1_000;
          // Another delivery is when those before are forgotten.
          const id = `other-${time}`;
          await statusOf(standardHeaders({ id, seconds: Math.floor(now / 1_000) }), {
            deliveries,
            date: now,
          });
          expect(await statusOf(at(seconds), { deliveries, date: now })).toBe('refused');
        }
      }),
      { ...runs(20), examples: [[240, [301, 400, 500]]] },
    );
  });

  test('is remembered until its timestamp is too old, and not used up by a forged request', async () => {
    const deliveries = new Map<string, number>();
    await statusOf(standardHeaders({ signature: wrong }), { deliveries });
    expect(await statusOf(standardHeaders(), { deliveries })).toBe('valid');
    const late = date + 5 * 60_000;
    expect(await statusOf(standardHeaders(), { deliveries, date: late })).toBe('refused');
    expect(deliveries.size).toBe(1);
    const other = standardHeaders({ id: 'msg_2', seconds: example.seconds + 301 });
    await statusOf(other, { deliveries, date: late + 1 });
    expect([...deliveries.keys()]).toEqual([`msg_2.${example.seconds + 301}`]);
  });
});

test.each<[headers: Record<string, string>, query: string, problem: string]>([
  [{}, '', 'missing'],
  [{}, '?token=x', 'missing'],
  [{ authorization: `Basic ${example.secret}` }, '', 'missing'],
  [{ authorization: 'Bearer x' }, '', 'wrong'],
  [{}, '?secret=x', 'wrong'],
  [{}, '?secret=', 'wrong'],
  [{ 'x-hub-signature-256': 'sha256=00' }, '', 'wrong'],
  [{ 'x-hub-signature-256': '' }, '', 'wrong'],
])('says of the headers %j and the query %j that the secret is %s', async (...row) => {
  const [headers, query, problem] = row;
  const verdict = await verifyRequest(signedRequest(headers, { query }), {
    secret: example.secret,
    date,
  });
  const reason = `The secret or the signature is ${problem}.`;
  expect(verdict).toEqual({ status: 'refused', reason });
});

test('a refusal of a signed delivery says which part is wrong', async () => {
  const deliveries = new Map<string, number>();
  const reasonOf = async (headers: Record<string, string>) => {
    const request = signedRequest(headers, {});
    const verdict = await verifyRequest(request, { secret: example.secret, date, deliveries });
    return verdict.status === 'refused' ? verdict.reason : verdict.status;
  };
  const incomplete = 'Its webhook-id or webhook-timestamp header is missing or malformed.';
  expect(await reasonOf(without('webhook-id'))).toBe(incomplete);
  expect(await reasonOf(without('webhook-timestamp'))).toBe(incomplete);
  expect(await reasonOf(standardHeaders({ signature: wrong }))).toBe(
    'Its webhook-signature is wrong.',
  );
  expect(await reasonOf(at(-301))).toBe(
    'Its webhook-timestamp is more than 5 minutes away from the current time.',
  );
  expect(await reasonOf(at(0))).toBe('valid');
  expect(await reasonOf(at(0))).toBe('It was received before.');
});

test('a refusal contains neither the secret nor a signature', async () => {
  const secret = 'a-very-secret-value';
  const forged = { 'x-hub-signature-256': hubSignature('other', 'x') };
  for (const headers of [{}, standardHeaders(), forged]) {
    const request = signedRequest(headers, { query: '?secret=given' });
    const verdict = JSON.stringify(await verifyRequest(request, { secret, date }));
    expect(verdict).not.toMatch(/a-very-secret|given|v1,|sha256=/);
  }
});

test.each([
  [undefined, 'missing'],
  ['whsec_not base64, and longer than 16', 'at least 16 bytes of base64'],
  [`whsec_${btoa('fifteen letters')}`, 'at least 16 bytes of base64'],
  [`whsec_${btoa('a'.repeat(32))}`, 'needs at least 10 different bytes, and has 1'],
])('the secret %j is refused with a reason that does not contain it', async (secret, reason) => {
  const verdict = verifyRequest(signedRequest({}), { secret });
  await expect(verdict).rejects.toThrow(reason);
  if (secret) await expect(verdict).rejects.not.toThrow(secret);
});

test('a signature is valid only with the secret, for any id, time and body', async () => {
  const id = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcXYZ019_-') });
  const secrets = fc
    .string({ minLength: 16, unit: 'binary' })
    .filter((text) => text.isWellFormed() && !secretProblem(text) && !text.startsWith('whsec_'));
  const text = fc.string({ unit: 'binary' });
  const time = fc.integer({ min: -300, max: 300 });
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(secrets, secrets, id, text, time, async (secret, forger, id, body, ahead) => {
      // An HMAC key is padded with zeros (RFC 2104), so these two are the same key.
      fc.pre(secret.replace(/\0+$/, '') !== forger.replace(/\0+$/, ''));
      const seconds = example.seconds + ahead;
      const proofs = (key: string) => [
        standardHeaders({ id, seconds, signature: standardSignature({ id, seconds, body }, key) }),
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
    }),
    runs(50),
  );
  expect(checked).toBeGreaterThan(0);
});
