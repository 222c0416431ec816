import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, readJson } from '../../../src/http/body.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const headers = new Headers({ 'content-type': 'application/json' });
const read = (body: string | Uint8Array, given = { headers }) =>
  readJson(decodeText(typeof body === 'string' ? bytesOf(body) : body), given);

/** Returns the failure that refuses a body. */
function failureOf(body: string | Uint8Array, given = { headers }) {
  try {
    return read(body, given);
  } catch (error) {
    return error;
  }
}

describe('a JSON body', () => {
  it('is the value that was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each<[body: string, type: string | undefined, code: string, reason: string]>([
    ['', 'application/json', 'bad-json', 'responded 200 with an empty body'],
    [' \n\t', 'application/json', 'bad-json', 'responded 200 with an empty body'],
    ['', 'text/html', 'bad-json', 'responded 200 with an empty body'],
    ['{', 'application/json; charset=utf-8', 'bad-json', 'is not valid JSON (1 characters)'],
    ['{', 'application/problem+JSON', 'bad-json', 'is not valid JSON (1 characters)'],
    ['{', undefined, 'bad-json', 'is not valid JSON (1 characters)'],
    ['{', 'application/jsonlines', 'not-json', 'responded 200 with application/jsonlines'],
    ['<p>', 'text/html; charset=utf-8', 'not-json', 'with text/html instead of JSON'],
    ['{"a":"\xff"}', 'application/json', 'bad-text', 'bytes that are not valid UTF-8'],
    ['{"\xff":', 'application/json', 'bad-text', 'bytes that are not valid UTF-8'],
    // Cut in the middle of a character.
    ['{"a":"\xc3', 'application/json', 'bad-json', 'is not valid JSON (7 characters)'],
  ])('of the bytes %j with the type %j fails with the code %s', (...row) => {
    const [body, type, code, reason] = row;
    const given = { headers: new Headers(type ? { 'content-type': type } : {}) };
    const failure = { code, reason: expect.stringContaining(reason) };
    expect(failureOf(Buffer.from(body, 'latin1'), given)).toMatchObject({ failure });
  });

  it('may begin with a byte order mark', () => {
    expect(read('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740991', 9007199254740991],
    ['1e30', 1e30],
    ['1.5', 1.5],
  ])('keeps the id %s exact', (digits, id) => {
    expect(read(`{"data":{"list":[{"node":{"id" :\n${digits},"n":${digits}}}]}}`)).toEqual({
      data: { list: [{ node: { id, n: Number(digits) } }] },
    });
  });

  it('has ids of at most 512 digits as a bigint, and numbers that are not integers as they are', () => {
    const [most, more] = ['1'.repeat(512), '1'.repeat(513)];
    const ids = ['12345678901234567', '1.5e20', '1e20', most, more].map((id) => `{"id": ${id}}`);
    expect(read(`[${ids}]`)).toEqual(
      [12345678901234567n, 1.5e20, 1e20, BigInt(most), Infinity].map((id) => ({ id })),
    );
    expect(read('{"id":12345678901234567}')).toEqual({ id: 12345678901234567n });
  });

  it.each([
    ['invalid JSON', '{"secret":}', 'bad-json'],
    ['a text that breaks off in a character', bytesOf('{"secret": "é').slice(0, -1), 'bad-json'],
    ['latin-1', Buffer.from('{"secret":"caf\xe9 x"}', 'latin1'), 'bad-text'],
    ['UTF-16', Buffer.from('\uFEFF{"secret":"t"}', 'utf16le'), 'bad-text'],
    ['nothing', ' \n', 'bad-json'],
  ])('is refused without quoting it: %s', (_, body, code) => {
    const failure = failureOf(body);
    expect(failure).toMatchObject({ failure: { code } });
    expect(JSON.stringify([failure, String(failure)])).not.toContain('secret');
    expect(failure).not.toHaveProperty('cause');
  });
});
