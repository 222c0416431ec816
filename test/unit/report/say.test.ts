import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { articleNotice } from '../../../src/errors.ts';
import { sayFacts, sayFindings } from '../../../src/report/say.ts';
import type { Finding } from '../../../src/shared/finding.ts';
import { factsOfService } from '../../helpers/facts.ts';

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);

test('thousands of articles with the same problem are one short line', () => {
  const lines = sayFindings(ids.map((id) => articleNotice(id, 'no')));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.text.length).toBeLessThan(1_000);
});

test('a problem ends with one full stop, and says what the site shows', () => {
  for (const text of ['expected 1.5', 'expected 1.5.'])
    expect(sayFindings([articleNotice('a', text)])[0]?.text).toMatch(
      /expected 1\.5\. The last good version is used/,
    );
});

test('pictures of one host that have the same problem are one line, and others another one', () => {
  const image = (at: number, host: string, reason: string): Finding => ({
    ...{ code: 'image', ids: [`id-${at}`], urls: [`https://${host}/${at}.svg`] },
    data: { isCover: false, host, reason, remedy: '', kept: false },
  });
  const lines = sayFindings([
    ...ids.slice(0, 283).map((_, at) => image(at, 'badges.example', 'it is an SVG')),
    image(1, 'badges.example', 'its server responded 404'),
    image(1, 'other.example', 'it is an SVG'),
  ]);
  expect(lines.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^283 images of "badges\.example" \(https:\S+\/0\.svg, .* and 280 more\) of articles "id-0", .* it is an SVG\./,
    ),
    expect.stringContaining('responded 404'),
    expect.stringContaining('https://other.example/1.svg of article "id-1": it is an SVG'),
  ]);
});

test('a text of an article cannot write a command of GitHub or move the cursor', () => {
  const [line] = sayFindings([articleNotice('1\n::error::x', 'a\n##[error]x\u001b[1A')]);
  expect(line?.text).not.toMatch(/[\p{Cc}\p{Cf}]|##\[/u);
});

test('advice names where the options of the collection are set', () => {
  const facts = factsOfService([{ id: 'a', isWhole: true }]);
  const { notices, advice } = sayFacts(facts, 'articlesLoader() of the collection "news"');
  expect(notices).toEqual([]);
  const [title, ...lines] = advice.split('\n');
  expect(title).toContain('articlesLoader() of the collection "news"');
  expect(lines).toEqual([expect.stringMatching(/^- .*`rows: 'whole'`/)]);
});

test('each problem is in a line with its own field and text, and equal ones are one line', () => {
  const problem = fc.tuple(
    fc.constantFrom('one', 'two', 'three'),
    fc.constantFrom('expected text', 'is too long'),
    fc.constantFrom(undefined, 'title', 'cover_image'),
  );
  fc.assert(
    fc.property(fc.array(problem, { maxLength: 6 }), (problems) => {
      const lines = sayFindings(problems.map((parts) => articleNotice(...parts)));
      const different = problems.map(([, text, field]) => JSON.stringify([field, text]));
      expect(lines).toHaveLength(new Set(different).size);
      for (const [id, text, field] of problems) {
        const own = lines.filter(
          (line) => line.text.includes(`${text}.`) && line.text.includes(`"${id}"`),
        );
        expect(own.some((line) => /field (\w+):/.exec(line.text)?.[1] === field)).toBe(true);
      }
    }),
  );
});
