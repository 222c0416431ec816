import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../../src/cli/serve/folder.ts';
import { replacePictures } from '../../../src/cli/serve/pictures.ts';
import type { ServedArticle } from '../../../src/cli/serve/served-article.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

async function folderOf(files: Record<string, string | Uint8Array>) {
  const folder = await temporaryFolder();
  const warnings: string[] = [];
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  const read = openFolder(folder, (line) => warnings.push(line));
  const articles = () => read().articles;
  const problems = () => Object.fromEntries(read().problems);
  return { articles, problems, warnings, write };
}

const front = (fields: string, text = 'Text\n') => `---\n${fields}\n---\n${text}`;

describe('pictures next to a Markdown file', () => {
  test('work in its text, its HTML and its front matter, and code is unchanged', async () => {
    const text = `![A](pic.webp "title") ![B][b] [![C](<./my pic.png>)](other.md) ![D](/top.gif)
<img alt="E" src='pic.webp'> <img src=pic.webp alt="F">

> <figure><img src="../top.gif"></figure>

\`![G](pic.webp)\`

    ![H](pic.webp)

[b]: my%20pic.png
![I](https://example.com/pic.webp) [J](pic.webp)
`;
    const { articles, warnings } = await folderOf({
      'posts/one.md': front('cover: pic.webp\nhero: ./my pic.png\nnote: pic.webp is nice', text),
      'posts/pic.webp': '',
      'posts/my pic.png': '',
      'top.gif': '',
    });
    expect(articles()).toEqual([
      {
        id: 'one',
        title: '',
        cover_image: '/media/posts/pic.webp',
        hero: '/media/posts/my%20pic.png',
        note: 'pic.webp is nice',
        content: `![A](/media/posts/pic.webp "title") ![B][b] [![C](</media/posts/my%20pic.png>)](other.md) ![D](/media/top.gif)
<img alt="E" src='/media/posts/pic.webp'> <img src=/media/posts/pic.webp alt="F">

> <figure><img src="/media/top.gif"></figure>

\`![G](pic.webp)\`

    ![H](pic.webp)

[b]: /media/posts/my%20pic.png
![I](https://example.com/pic.webp) [J](pic.webp)
`,
      },
    ]);
    expect(warnings).toEqual([]);
  });

  test('that do not exist are named once, and served as soon as they exist', async () => {
    const { articles, warnings, write } = await folderOf({
      'a.md': '![](gone.webp) ![](../../outside.png) ![](/site.png) ![](https://a.example/b.png)',
    });
    const contents = () => articles().map(({ content }) => content);
    contents();
    contents();
    expect(warnings).toEqual([
      'a.md: the picture "gone.webp" does not exist in this folder.',
      'a.md: the picture "../../outside.png" does not exist in this folder.',
    ]);
    await write('gone.webp', '');
    expect(contents()).toEqual([expect.stringContaining('![](/media/gone.webp)')]);
  });

  test('are the only part of a text that changes', () => {
    const pictures = [
      '![a](p.webp)',
      '[![a](p.webp)](p.webp)',
      '<img src="p.webp">',
      '[p]: p.webp',
    ];
    const others = ['![p]', 'p.webp', '&amp;', '<!-- ', ' -->', '    ', '\n\n', '\r\n', '> ', '- '];
    const part = fc.constantFrom(...pictures, ...others, ...'`|*\n\t\\\0', '```', '😀');
    let replaced = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const changed = replacePictures(text, (url) =>
          url === 'p.webp' ? '\u{F0000}' : undefined,
        );
        if (changed !== text) replaced += 1;
        expect(changed.replaceAll('\u{F0000}', 'p.webp')).toBe(text);
      }),
    );
    expect(replaced).toBeGreaterThan(0);
  });
});

describe('front matter', () => {
  test('is text as it is written, except for what JSON writes in the same way', async () => {
    const { articles } = await folderOf({
      'a.md': front(
        'id: 2024-01-01\ntitle: 1984\ndate: 2024-05-01\nversion: 1.10\nzip: 007\nyes: yes\nbig: 12345678901234567890\n' +
          'size: 42\ndraft: true\nnone: ~\ntags: [a, 2024-01-01]',
      ),
      'b.md': front('id: 0x1F\ntitle: True'),
    });
    expect(articles()).toEqual([
      {
        id: '2024-01-01',
        title: '1984',
        date: '2024-05-01',
        version: '1.10',
        zip: '007',
        yes: 'yes',
        big: '12345678901234567890',
        size: 42,
        draft: true,
        none: null,
        tags: ['a', '2024-01-01'],
        content: 'Text\n',
        cover_image: null,
      },
      { id: '0x1F', title: 'True', content: 'Text\n', cover_image: null },
    ]);
  });

  test('of any scalar gives the title and the id as they are written', async () => {
    const { articles, write } = await folderOf({});
    const scalar = fc
      .oneof(
        fc.stringMatching(/^[0-9a-zA-Z][0-9a-zA-Z._+-]{0,12}$/),
        fc.double().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
        fc.constantFrom(...'true False NO on 1_000 0o17 .5 1e3 Infinity -0'.split(' ')),
      )
      .filter((text) => !/^(?:~|null|-|---.*|\?)?$/i.test(text));
    await fc.assert(
      fc.asyncProperty(scalar, async (text) => {
        await write('a.md', front(`id: ${text}\ntitle: ${text}`));
        const [article] = articles();
        expect([String(article?.id), article?.title]).toEqual([text, text]);
      }),
      { numRuns: 300 },
    );
  });
});

test('files with a date are listed first, the newest of them before all others', async () => {
  const { articles } = await folderOf({
    'old.md': front('date: 1969-05-01'),
    'new.md': front('date: 2024-05-01 12:00:00 +0200'),
    'same-day.md': front('date: 2024-05-01'),
    'z.md': '',
    'b10.md': '',
    'b9.md': front('date: soon'),
  });
  expect(articles().map(({ id }) => id)).toEqual(['new', 'same-day', 'old', 'z', 'b10', 'b9']);
});

test('the id of a file is its name, or that of its folder for an index.md', async () => {
  const { articles } = await folderOf({
    'posts/hello-world.md': '',
    'posts/tides/index.md': '',
    'index.md': '',
  });
  expect(articles().map(({ id }) => id)).toEqual(['tides', 'index', 'hello-world']);
});

const titles = (articles: ServedArticle[]) => articles.map(({ id, title }) => [id, title]);

test('two files of one id are listed as one article with a problem, next to the others', async () => {
  const { articles, problems, write } = await folderOf({
    'en/hello.md': '# Hello',
    'de/hello.md': '# Hallo',
    'other.md': '# Other',
  });
  expect(titles(articles())).toEqual([
    ['other', 'Other'],
    ['hello', undefined],
  ]);
  expect(problems()).toEqual({
    hello:
      'de/hello.md and en/hello.md have the same id "hello". Give one of them another `id` in its front matter.',
  });
  await write('de/hello.md', front('id: hallo', '# Hallo'));
  expect(titles(articles())).toEqual([
    ['other', 'Other'],
    ['hello', 'Hello'],
    ['hallo', 'Hallo'],
  ]);
  expect(problems()).toEqual({});
});

describe('a file that cannot be used', () => {
  test.each([
    [
      'bad.md is not UTF-8. Save it with the encoding UTF-8.',
      Buffer.from('\uFEFF# Títle', 'utf16le'),
    ],
    ['bad.md is not UTF-8. Save it with the encoding UTF-8.', Buffer.from('# Título', 'latin1')],
    ['The front matter of bad.md cannot be parsed: bad indentation', front('title: a: b')],
    ['The front matter of bad.md is not a list', front('text')],
  ])('is listed with its reason, next to the others: %s', async (reason, content) => {
    const { articles, problems, warnings } = await folderOf({
      'good.md': '\uFEFF---\ntitle: Título\n---\n',
      'bad.md': content,
    });
    const listed = articles();
    expect(titles(listed)).toEqual([
      ['good', 'Título'],
      ['bad', undefined],
    ]);
    expect(JSON.parse(JSON.stringify(listed[1]))).toEqual({ id: 'bad' });
    expect(problems()).toEqual({ bad: expect.stringContaining(reason) });
    expect(warnings).toEqual([expect.stringContaining(reason)]);
  });

  test('keeps the id and the place that it had, and is reported again when it breaks again', async () => {
    const good = front('id: tides\ndate: 2024-05-01', '# Tides');
    const { articles, problems, warnings, write } = await folderOf({
      'a.md': good,
      'b.md': front('date: 2020-01-01', '# B'),
    });
    expect(titles(articles())).toEqual([
      ['tides', 'Tides'],
      ['b', 'B'],
    ]);
    const bad = front('id: tides\ntitle: a: b\ndate: 2024-05-01');
    await write('a.md', bad);
    expect(titles(articles())).toEqual([
      ['tides', undefined],
      ['b', 'B'],
    ]);
    expect(Object.keys(problems())).toEqual(['tides']);
    await write('a.md', good);
    expect(titles(articles())[0]).toEqual(['tides', 'Tides']);
    await write('a.md', bad);
    articles();
    articles();
    expect(warnings).toHaveLength(2);
  });

  test.each([
    ['that can be used', '# Hello', ['hello', 'Hello']],
    ['that cannot be used, too', front('id: hello: x'), ['hello', undefined]],
  ])('never takes the id of another file %s', async (_, other, listed) => {
    const { articles, problems } = await folderOf({
      'de/hello.md': other,
      'en/hello.md': front('id: hallo: x'),
    });
    expect(titles(articles())).toEqual([listed, ['en/hello.md', undefined]]);
    expect(Object.keys(problems())).toContain('en/hello.md');
  });
});
