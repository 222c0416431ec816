import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/http/body.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const headers = new Headers({ 'content-type': 'application/json' });
const read = (body: string | Uint8Array) =>
  readJson(typeof body === 'string' ? bytesOf(body) : body, { headers });

/** Returns the failure that refuses a body. */
function failureOf(body: string | Uint8Array) {
  try {
    return read(body);
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
