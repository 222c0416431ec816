import { expect, onTestFinished, test, vi } from 'vitest';
import { key, type Load, useSite } from '../helpers/use-site.ts';

// Strings of the service in logs, in messages and in the annotations of GitHub Actions, which interpret control and
// bidirectional characters, `::` at the start of a line, and `##[`.

const site = useSite({ options: { failOn: ['service'] } });

const hostile = [
  '\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '\u009b31mC1',
  '\u202eright-to-left\u2066isolated',
  'line one\nline two\r\nline three',
  'x\n::error::owned\n::set-output name=a::b',
  'x\n##[error]owned',
  'x ##[add-mask]e ##[set-output name=a;]b',
  '%0A::error::owned',
  '__proto__',
  'nul\u0000byte',
  'U+2028 \u2028 and U+2029 \u2029',
  '"><img src=x onerror=alert(1)>',
  `the key ${key}`,
];

/** Loads a site whose messages all contain hostile strings. */
async function loadWithProblems(): Promise<Load[]> {
  const article = { title: 't', content: 'c', cover_image: null as unknown };
  const loads: Load[] = [];
  // Ids with control characters are problems of their rows, the others of the articles.
  site.service.replace([
    ...hostile.map((text, index) => ({ ...article, id: `${index} ${text}`, title: 7 })),
    ...hostile.map((text, id) => ({
      ...{ ...article, id, content: `<script>${text}</script>` },
      cover_image: { [text]: text },
    })),
  ]);
  loads.push(await site.load());
  const cover = (text: string) => `https://10.0.0.1/${text}`;
  site.service.replace(hostile.map((text, id) => ({ ...article, id, cover_image: cover(text) })));
  loads.push(await site.load());
  for (const detail of hostile) {
    for (const fault of [
      { kind: 'status', status: 400, body: JSON.stringify({ detail }) },
      { kind: 'redirect', location: `https://${encodeURI(detail)}/` },
      { kind: 'json', value: { [detail]: detail } },
    ] as const) {
      site.strike('list', fault, 1);
      loads.push(await site.load({ failOn: [] }));
    }
  }
  return loads;
}

/** Control characters that a terminal interprets, or that change the order of the text. */
const interpreted = /[^\P{Cc}\n\t]|[\u2028\u2029]|\p{Bidi_Control}/u;

test('what is printed in the terminal and in annotations is text', async () => {
  const stdout: string[] = [];
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout.push(String(text));
    return true;
  });
  const loads = await loadWithProblems();
  const lines = loads.flatMap(({ context }) => context.lines.map(({ message }) => message));
  const messages = loads.flatMap(({ failure }) => [failure?.message ?? '', failure?.hint ?? '']);
  expect(lines.length).toBeGreaterThan(hostile.length);
  const texts = [...lines, ...messages];
  expect.soft(texts.filter((text) => interpreted.test(text))).toEqual([]);
  expect.soft(texts.filter((text) => /^\s*::|##\[/m.test(text))).toEqual([]);
  // Advice is a block of lines, each with its own beginning.
  const blocks = lines.filter((line) => line.includes('\n'));
  const parts = blocks.flatMap((block) => block.split('\n'));
  const part = /^(?:What suits this|- |Further fields,| {2}schema: | {4}\S| {6}\S)/;
  expect.soft(parts.filter((line) => !part.test(line))).toEqual([]);

  // One command of the package for each line.
  const commands = stdout.join('').split('\n').filter(Boolean);
  expect(commands.length).toBeGreaterThan(2);
  const command = /^::(error|warning) title=Collection "articles"%3A [\w ()]+::/;
  expect.soft(commands.filter((line) => !command.test(line))).toEqual([]);
  expect.soft(commands.filter((line) => interpreted.test(line))).toEqual([]);
  expect.soft(commands.filter((line) => line.includes('##['))).toEqual([]);
  expect.soft([...texts, ...commands].filter((line) => line.includes(key))).toEqual([]);
  expect(commands.join()).toContain('the key ');
});
