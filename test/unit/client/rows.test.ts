import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asJson } from '../../../src/client/http/json.ts';
import { decodePage } from '../../../src/client/listing/page.ts';
import { type RawRow, readPage } from '../../../src/client/listing/page-rows.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** What comes of a body, or why nothing does. */
function outcome<T>(read: (body: Uint8Array) => T, body: Uint8Array) {
  try {
    return { value: read(body) };
  } catch (error) {
    return { message: String(error) };
  }
}

const inOneGo = asJson(decodePage);
const rowByRow = (body: Uint8Array) => readPage(body, ({ value }) => value());
/** Whether each row came with its bytes. */
const areApart = (body: Uint8Array) => readPage(body, ({ json }) => json !== undefined).rows;
const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Texts made of all that could be taken for the structure around them. */
const puzzling = fc.string({
  unit: fc.constantFrom(
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    'a',
    'é',
    '🦀',
    '\uFEFF',
  ),
});
/** Numbers that JavaScript cannot write, as texts that become them. */
const number = fc.constantFrom('9007199254740993', '-9007199254740993', '1.5', '1e30', '2');
const id = fc.oneof(
  fc.nat(),
  number.map((digits) => `number:${digits}`),
);
const row = fc.oneof(
  { weight: 9, arbitrary: fc.record({ id, title: puzzling, content: puzzling }) },
  { weight: 1, arbitrary: fc.record({ id, author: fc.record({ id }) }) },
  { weight: 3, arbitrary: fc.dictionary(puzzling, fc.jsonValue()) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const rows = fc.array(row, { maxLength: 6 });
const count = fc.oneof(fc.nat(), fc.constant(undefined));
const page = fc.oneof(
  rows,
  fc.record({ count, results: rows }),
  fc.record({ items: rows, tags: fc.array(puzzling), next: puzzling }),
  fc.record({ facets: rows, articles: rows, total: count }),
  fc.record({ data: fc.record({ results: rows, count }), meta: fc.record({ all: rows }) }),
  fc.jsonValue(),
);
const text = fc
  .tuple(page, fc.constantFrom(undefined, 1, '\t', '\r\n '))
  .map(([value, space]) => JSON.stringify(value, undefined, space))
  .map((json) => json.replaceAll(/"number:([^"]*)"/g, '$1'));

describe('a page that is read row by row', () => {
  it('is what it is in one go', () => {
    fc.assert(
      fc.property(text, (json) => {
        const body = bytesOf(json);
        const expected = outcome(inOneGo, body);
        expect(outcome(rowByRow, body)).toEqual(expected);
        const rows = expected.value?.rows ?? [];
        if (rows.length > 0) expect(areApart(body)).toEqual(rows.map(() => rows.every(isObject)));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    '[[]]',
    '[[{"id":1}]]',
    '[{"id":1},null]',
    '{"results":[null]}',
    '[[{"list":0}]]',
    '{"facets":[{"list":1}],"results":[{"list":0}]}',
    '{"results":[{"list":0},null],"items":[{"id":1}]}',
  ])('is what it is in one go, also when it is %s', (json) => {
    expect(rowByRow(bytesOf(json))).toEqual(inOneGo(bytesOf(json)));
  });

  it('fails as it does in one go, wherever its bytes were spoilt', () => {
    const spoil = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(3),
      insert: fc.oneof(
        puzzling.map(bytesOf),
        fc.constantFrom(
          bytesOf('\uFEFF'),
          bytesOf('null'),
          Uint8Array.of(0xff),
          Uint8Array.of(0xc3),
        ),
      ),
    });
    fc.assert(
      fc.property(text, spoil, (json, { at, remove, insert }) => {
        const good = bytesOf(json);
        const from = Math.floor(at * (good.length + 1));
        const body = Uint8Array.of(
          ...good.subarray(0, from),
          ...insert,
          ...good.subarray(from + remove),
        );
        expect(outcome(rowByRow, body)).toEqual(outcome(inOneGo, body));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '[{"id":1},]',
    '[{"id":1} {"id":2}]',
    '[{"id":1]}',
    '[{"id":1}',
    '{"results":[{"id":1}],}',
    '{"facets":[{"a":tru}],"results":[{"id":1}]}',
    '{"results":[{"id":1}],"facets":[{"a":tru}]}',
    '{"results":[],"facets":[{"a":tru}]}',
    '{"results":[1],"facets":[{"a":tru}]}',
    '{"results":[{"id":1}]\uFEFF}',
  ])('is no page when it is %s', (json) => {
    const { message } = outcome(rowByRow, bytesOf(json));
    expect(message).toMatch('it is no JSON');
    expect(message).toBe(outcome(inOneGo, bytesOf(json)).message);
  });

  it.each([
    ['too deep by the levels around its rows', 61, /nested deeper than 64/],
    ['just not too deep', 60, undefined],
  ])('is %s', (_, levels, message) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const body = bytesOf(`{"data":{"results":[{"x":${deep}}]}}`);
    const read = () => readPage(body, ({ json, value }) => json && value());
    if (message) expect(read).toThrow(message);
    else expect(read().rows).not.toContain(undefined);
  });

  it.each<[string, (rows: unknown[]) => unknown]>([
    ['a bare array', (rows) => rows],
    ['an envelope', (rows) => ({ count: 3, next: null, results: rows })],
    ['a nested one', (rows) => ({ data: { results: rows, count: 3 } })],
    ['one with other lists', (rows) => ({ facets: [{ a: 1 }], items: rows, tags: ['{}'] })],
  ])('gives the bytes of each row, in %s', (_, envelop) => {
    const rows = [
      { id: 1, content: 'plain' },
      { id: 2, content: 'a "quoted\\" }, { text' },
      { id: 3, nested: [{ deep: [1, { deeper: ']' }] }], text: 'é🦀' },
    ];
    for (const space of [undefined, 2, '\t']) {
      const found: RawRow[] = [];
      readPage(bytesOf(JSON.stringify(envelop(rows), undefined, space)), (row) => found.push(row));
      const decoder = new TextDecoder();
      expect(found.map(({ json }) => JSON.parse(decoder.decode(json)))).toEqual(rows);
      expect(found.map(({ value }) => value())).toEqual(rows);
    }
  });

  it('leaves rows unread that nobody asks for', () => {
    // Nothing but reading it would show that this is no JSON.
    const body = bytesOf('{"results":[{"id":1},{"id":tru}]}');
    expect(readPage(body, (_, index) => index).rows).toEqual([0, 1]);
    expect(outcome(rowByRow, body)).toEqual(outcome(inOneGo, body));
  });
});
