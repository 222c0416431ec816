import fc from 'fast-check';
import { CORE_SCHEMA, dump } from 'js-yaml';
import { stringify } from 'smol-toml';
import { describe, expect, it, test } from 'vitest';
import { splitFrontMatter } from '../../../src/shared/front-matter.ts';
import { processorTime } from '../../helpers/processor-time.ts';

const text = '\nBody.\n';
const yaml = (block: string) => `---\n${block}\n---\n${text}`;
const toml = (block: string) => `+++\n${block}\n+++\n${text}`;

describe('front matter', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['a usual one', yaml('title: A\ntags: [a, b]'), { title: 'A', tags: ['a', 'b'] }],
    ['a comment first', yaml('# by the export tool\ntitle: A'), { title: 'A' }],
    ['a key of five words', yaml('a b c d e: 1'), { 'a b c d e': 1 }],
    ['a longer key below it', yaml('a: 1\nb c d e f g: 2'), { a: 1, 'b c d e f g': 2 }],
    ['a date', yaml('date: 2024-05-01'), { date: '2024-05-01' }],
    ['a block of text with a fence', yaml('a: |\n  ---\n  b'), { a: '---\nb\n' }],
    ['an indented mapping', yaml('  title: A\n  b: 1'), { title: 'A', b: 1 }],
    ['blank lines around it', `\n \t\n${yaml('\ntitle: A\n')}`, { title: 'A' }],
    ['blanks behind the fences', `--- \t\ntitle: A\n--- \t\n${text}`, { title: 'A' }],
    ['blanks behind the fences of TOML', `+++ \t\na = 1\n+++ \t\n${text}`, { a: 1 }],
    ['a value that ends like a fence', yaml('a: b ---\nc: d ...'), { a: 'b ---', c: 'd ...' }],
    ['a comment of TOML that ends like a fence', toml('a = 1 # +++\nb = 2'), { a: 1, b: 2 }],
    ['a text of TOML that begins like a fence', toml("a = '''\n+++ b'''"), { a: '+++ b' }],
    ['a longer fence at its end', `---\ntitle: A\n-----\n${text}`, { title: 'A' }],
    ['three dots at its end', `---\ntitle: A\n...\n${text}`, { title: 'A' }],
    ['a comment only', yaml('# by the export tool'), {}],
    [
      'a no-break space behind a colon',
      yaml('title:\u00A0A\nb c:\u00A0d:\u00A0e'),
      { title: 'A', 'b c': 'd:\u00A0e' },
    ],
    [
      'merged keys',
      yaml('a: &a { b: 1, c: 2 }\nd: { <<: *a, c: 3 }'),
      { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } },
    ],
    ['a quoted key like a merged one', yaml('"<<": { b: 1 }'), { '<<': { b: 1 } }],
    ['nothing in it', `---\n---\n${text}`, {}],
    ['blank lines in it', `---\n\n \n---\n${text}`, {}],
    [
      'dates of TOML',
      toml('a = 2024-05-01\nb = 2024-05-01T10:00:00+02:00'),
      {
        ...{ a: '2024-05-01', b: '2024-05-01T10:00:00.000+02:00' },
      },
    ],
    ['only a comment in TOML', toml('# draft'), {}],
  ])('is removed, and its fields are read: %s', (_, content, fields) => {
    expect(splitFrontMatter(content)).toEqual({ content: text, fields });
    const windows = splitFrontMatter(content.replaceAll('\n', '\r\n'));
    expect(windows).toEqual({ content: text.replaceAll('\n', '\r\n'), fields });
  });

  test.each<[string, string, string]>([
    [
      'a colon in a value',
      yaml('title: A: b'),
      'YAML in line 2: bad indentation of a mapping entry',
    ],
    ['no space after a colon', yaml('title: A\nb:"x"\nc: 1'), 'YAML in line 4: '],
    ['no space after the first colon', yaml('title:"A"\nb: 1'), 'YAML in line 3: '],
    ['a word behind a fence in it', yaml('a: b\n--- c'), 'YAML: expected a single document'],
    ['four dots', yaml('a: b\n....'), 'YAML in line 4: '],
    ['a comment first', yaml('# tool\n\n"title": A: b'), 'YAML in line 4: '],
    ['blank lines before', `\n\n${yaml('title: A: b')}`, 'YAML in line 4: '],
    ['a merged key that has no fields', yaml('a: 1\n<<: 2'), 'YAML in line 3: cannot merge'],
    ['too much', yaml(`a: ${'x'.repeat(50_000)}`), 'YAML: expected at most 50000 characters'],
    ['too many levels', yaml(`a: ${'['.repeat(5000)}`), 'YAML in line 2: nesting exceeded'],
    ['a text without quotes', toml('title = A'), 'TOML in line 2: invalid value'],
    ['a table', toml('[extra]\na'), 'TOML in line 3: '],
    ...[
      '"a b" = ',
      "'a b' = ",
      '"" = ',
      "'' = ",
      'a-b.c = ',
      'a \t= ',
      'a=',
      '[[a]]\nb',
      '[a.b]\nc',
    ].map((block): [string, string, string] => ['a field of TOML', toml(block), 'TOML in line ']),
    ...[
      '"a" \t: [',
      "'a': [",
      '"": [',
      "'': [",
      '"a b c d e f": [',
      '1: [',
      'b c: [',
      'b c:\n  [',
      '_:"a"\nb: 1',
      'a1_b-c:"d"\ne: 1',
    ].map((block): [string, string, string] => ['a field of YAML', yaml(block), 'YAML in line ']),
  ])('that is broken is removed, with the reason: %s', (_, content, reason) => {
    const split = splitFrontMatter(content);
    expect(split).toMatchObject({ content: text, fields: {} });
    expect(split.broken).toContain(`invalid ${reason}`);
  });

  test.each([
    ['a thematic break, and prose', yaml('\nA line of prose.\n')],
    ['a sentence with a colon', yaml('\nThis article begins with a line. It means: a pause.\n')],
    ['a sentence with two colons', yaml('\nThis article begins with a line: it means: a pause.\n')],
    [
      'a sentence with a time and a colon',
      yaml('\nAt 10:30 the mayor opened the bridge over the river: [it rained\n'),
    ],
    ['prose that is no YAML', yaml('\n*Note*: a: b\n')],
    ['an address', yaml('https://example.org/{a\nb: c')],
    ['a list that is no YAML', yaml('- one\n* two')],
    ['only dashes without an end', '---\ntitle: A\n\nBody.'],
    ['the first line is missing', 'title: A\n---\n\nBody.'],
    ['a longer fence at its start', `----\ntitle: A\n----\n${text}`],
    ['an indented fence', ` ---\ntitle: A\n---\n${text}`],
    ['a word behind the fence', `--- yaml\ntitle: A\n---\n${text}`],
    ['a fence of another format', `+++\ntitle: A\n---\n${text}`],
    ['prose between fences of TOML', toml('not toml')],
    ...['[a](b)', '[a', '[]', '= a', 'This is a = b'].map((line) => ['prose of TOML', toml(line)]),
    ...[...'"\'&*!|>%@`[]{},?:-'].map((sign) => [`a line behind ${sign}`, yaml(`${sign} a: b: c`)]),
    ['only a fence', '---'],
    ['a later block', `Text.\n\n${yaml('title: A')}`],
  ])('is not %s', (_, content) => {
    expect(splitFrontMatter(content)).toEqual({ content, fields: {} });
  });

  it.each([
    ['---\na: 1\n---', { a: 1 }],
    ['+++\na = 1\n+++', { a: 1 }],
  ])('may be all of a text: %j', (block, fields) => {
    expect(splitFrontMatter(block)).toEqual({ content: '', fields });
  });

  it('ends with its own fence: blocks below it stay text', () => {
    const { content } = splitFrontMatter(`---\na: 1\n---\n${yaml('b: 2')}`);
    expect(content).toBe(yaml('b: 2'));
  });

  it.each([
    ['aliases', `a: &a [x]\n${Array.from({ length: 4500 }, (_, n) => `k${n}: *a`).join('\n')}`],
    ['dots', `a${'.a'.repeat(24_000)} = 1`],
    ['tables', Array.from({ length: 4000 }, (_, n) => `[a.b${n}]`).join('\n')],
    ['blanks', `${' '.repeat(49_000)}a`],
    ['blank lines', `a: 1\n${'\n'.repeat(49_000)}: b`],
    ['quotes', `"${'a'.repeat(49_000)}`],
    ['colons', 'a:'.repeat(24_000)],
  ])('of 50,000 characters takes less than two seconds of processor time: %s', (_, block) => {
    const time = processorTime(() => {
      for (const fence of ['---', '+++']) splitFrontMatter(`${fence}\n${block}\n${fence}\n`);
      splitFrontMatter(`\n${block.replaceAll(/\S/g, ' ')}`);
    });
    expect(time).toBeLessThan(2_000);
  });
});

const name = fc.oneof(
  fc.constantFrom('title', 'Original Post', 'dc:title', '1', 'größe', 'tags', 'a.b', '@id', '-'),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const leaf = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'Notes: 2.0',
    '@someone',
    '---',
    '+++',
    '# no',
    "it's",
    '2024-05-01',
    '\t',
    'a\nb',
  ),
  fc.integer({ min: -1000, max: 1000 }),
  fc.boolean(),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(leaf, { maxLength: 3 }), tie('mapping')),
  mapping: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}));
const mapping = fc
  .dictionary(name, value, { minKeys: 1, maxKeys: 5, noNullPrototype: true })
  .filter((fields) => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(fields)));

const body = fc
  .array(
    fc.oneof(
      fc.constantFrom('', 'Text.', '---', '+++', 'a: b', '# One', 'a = 1', '...', '----'),
      fc.string({ maxLength: 20 }).filter((line) => !/[\r\n]/.test(line)),
    ),
    { maxLength: 8 },
  )
  .map((lines) => lines.join('\n'));
const before = fc.constantFrom('', '\uFEFF', '\n', ' \n\n', '\uFEFF\n');

/** The blocks of text between thematic breaks that are not mappings. */
const proseLine = fc.constantFrom(
  ...['A line of prose.', '# A heading', '- one', '- two: three', '> quote: text', '', '*a*: b'],
  ...['![a](b.png)', '2024', 'Prose, and more.', '| a | b |', '`a: b`'],
);
const prose = fc
  .tuple(
    proseLine.filter((line) => line !== ''),
    fc.array(proseLine, { maxLength: 4 }),
  )
  .map(([first, others]) => [first, ...others].join('\n'));

describe('any text', () => {
  it('has the fields that the parsers write, and the text after it is unchanged', () => {
    const checked = { YAML: 0, TOML: 0, nested: 0, windows: 0, withBreaks: 0 };
    fc.assert(
      fc.property(mapping, body, before, fc.boolean(), (fields, rest, start, isToml) => {
        const block = isToml ? stringify(fields) : dump(fields, { schema: CORE_SCHEMA });
        const fence = isToml ? '+++' : '---';
        const {
          content,
          fields: found,
          broken,
        } = splitFrontMatter(`${start}${fence}\n${block.trimEnd()}\n${fence}\n${rest}`);
        expect(broken).toBeUndefined();
        expect(found).toEqual(fields);
        expect(content).toBe(rest);
        checked[isToml ? 'TOML' : 'YAML'] += 1;
        if (Object.values(fields).some((each) => typeof each === 'object')) checked.nested += 1;
        if (rest.includes('---')) checked.withBreaks += 1;
        const lines = `${fence}\n${block.trimEnd()}\n${fence}\n${rest}`;
        const windows = splitFrontMatter(lines.replaceAll('\n', '\r\n'));
        expect(windows.content).toBe(rest.replaceAll('\n', '\r\n'));
        expect(Object.keys(windows.fields)).toEqual(Object.keys(found));
        checked.windows += 1;
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(...Object.values(checked)), JSON.stringify(checked)).toBeGreaterThan(100);
  });

  it('keeps prose between thematic breaks', () => {
    const checked = { prose: 0, blanks: 0, several: 0 };
    fc.assert(
      fc.property(
        fc.array(prose, { minLength: 1, maxLength: 3 }),
        before,
        fc.boolean(),
        (parts, start, isLoose) => {
          const blank = isLoose ? '\n' : '';
          // A comment.
          fc.pre(isLoose || !/^(?:#.*\n*)*$/.test(parts[0] ?? ''));
          const content = `${start}---\n${parts.map((part) => `${blank}${part}\n${blank}---\n`).join('')}End.`;
          expect(splitFrontMatter(content)).toEqual({ content, fields: {} });
          checked.prose += 1;
          if (isLoose) checked.blanks += 1;
          if (parts.length > 1) checked.several += 1;
        },
      ),
      { numRuns: 1000 },
    );
    expect(Math.min(...Object.values(checked)), JSON.stringify(checked)).toBeGreaterThan(100);
  });

  it('is divided into front matter and text, and nothing else is lost', () => {
    const checked = { text: 0, fields: 0, broken: 0 };
    const line = fc.oneof(
      proseLine,
      fc.constantFrom('title: A', 'b: c: d', 'e:', '  - f', '# g', 'h = 1', '[i]'),
    );
    const lines = fc.array(fc.oneof(line, fc.constantFrom('---', '+++', '...')), { maxLength: 8 });
    fc.assert(
      fc.property(lines, fc.constantFrom('---', '+++'), (all, fence) => {
        const given = [fence, ...all].join('\n');
        const { content, fields, broken } = splitFrontMatter(given);
        expect(given.endsWith(content)).toBe(true);
        if (broken) expect(fields).toEqual({});
        const kind = broken ? 'broken' : content === given ? 'text' : 'fields';
        checked[kind] += 1;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(...Object.values(checked)), JSON.stringify(checked)).toBeGreaterThan(15);
  });
});
