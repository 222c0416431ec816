import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFile, openFolder } from '../../../src/cli/serve/folder.ts';
import { parseArticle, type ServedArticle } from '../../../src/cli/serve/served-article.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

async function folderOf(files: Record<string, string | Uint8Array>) {
  const folder = join(await temporaryFolder(), 'served');
  await mkdir(folder);
  const warnings: string[] = [];
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  const read = openFolder(folder, (line) => warnings.push(line));
  const articles = () => read().articles;
  const problems = () => Object.fromEntries(read().problems);
  return { articles, problems, warnings, write, folder };
}

const front = (fields: string, text = 'Text\n') => `---\n${fields}\n---\n${text}`;

describe('pictures of a folder', () => {
  test('work in its texts, its HTML and its front matter, and code is unchanged', async () => {
    const text = `![A](pic.webp "title") ![B][b] [![C](<./my pic.png>)](other.md) ![D](/top.gif)
<img alt="E" src='pic.webp'> <img src=pic.webp alt="F"> ![pic\\_1](pic\\_1.avif) a\\\`![](pic.webp)\`

> <figure><img src="../top.gif"></figure>

1. item

    ![G](a(1).png)

\`![H](pic.webp)\` and \`\`\`![H](pic.webp)\`\`\`

~~~~ md
\`\`\`
![H](pic.webp)
~~~~

[b]: my%20pic.png
![I](https://example.com/pic.webp) ![J](//example.com/pic.webp)
`;
    const { articles, warnings } = await folderOf({
      'posts/one.md': front('gallery: [{ src: pic.webp, note: pic.webp is nice }]', text),
      'posts/pic.webp': '',
      'posts/pic_1.avif': '',
      'posts/my pic.png': '',
      'posts/a(1).png': '',
      'top.gif': '',
    });
    expect(articles()).toEqual([
      {
        id: 'one',
        title: 'one',
        cover_image: null,
        gallery: [{ src: '/media/posts/pic.webp', note: 'pic.webp is nice' }],
        content: `![A](/media/posts/pic.webp "title") ![B][b] [![C](</media/posts/my%20pic.png>)](other.md) ![D](/media/top.gif)
<img alt="E" src='/media/posts/pic.webp'> <img src=/media/posts/pic.webp alt="F"> ![pic\\_1](/media/posts/pic_1.avif) a\\\`![](/media/posts/pic.webp)\`

> <figure><img src="/media/top.gif"></figure>

1. item

    ![G](/media/posts/a%281%29.png)

\`![H](pic.webp)\` and \`\`\`![H](pic.webp)\`\`\`

~~~~ md
\`\`\`
![H](pic.webp)
~~~~

[b]: /media/posts/my%20pic.png
![I](https://example.com/pic.webp) ![J](//example.com/pic.webp)
`,
      },
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['cover: pic.webp\nheroImage: other.webp', '/media/pic.webp'],
    ['cover_image: ./pic.webp', '/media/pic.webp'],
    ['cover:\nheroImage: pic.webp', '/media/pic.webp'],
    ['image: https://a.example/b.png', 'https://a.example/b.png'],
    ['image: { url: /pic.webp, alt: Waves }', { url: '/media/pic.webp', alt: 'Waves' }],
    ['image: true\ncover: ""', null],
  ])('are the cover of a file with %j', async (fields, cover) => {
    const { articles } = await folderOf({ 'a.md': front(fields), 'pic.webp': '' });
    expect(articles()[0]?.cover_image).toEqual(cover);
  });

  test('that do not exist are named once, and served as soon as they exist', async () => {
    const { articles, warnings, write, folder } = await folderOf({
      'texts/a.md': front(
        'cover: none.avif\nnote: none.gif',
        '![](gone.webp) ![](../../up.png) ![](/site.png) ![](https://a.example/b.png)',
      ),
    });
    await write('../up.png', '');
    const contents = () => articles().map(({ content }) => content);
    contents();
    contents();
    expect(warnings).toEqual([
      'texts/a.md: the picture "gone.webp" does not exist in this folder.',
      `texts/a.md: the picture "../../up.png" is outside of the folder. Serve ${dirname(folder)}/ to include it.`,
      'texts/a.md: the picture "/site.png" does not exist in this folder.',
      'texts/a.md: the picture "none.avif" does not exist in this folder.',
    ]);
    await write('texts/gone.webp', '');
    expect(contents()).toEqual([expect.stringContaining('![](/media/texts/gone.webp)')]);
  });

  test('are the only part of a text that changes', async () => {
    const pictures = [
      '![a](p.webp)',
      '[![a](p.webp)](p.webp)',
      '<img src="p.webp">',
      '[p]: p.webp',
    ];
    const others = ['![p]', 'p.webp', '&amp;', '<!-- ', ' -->', '    ', '\n\n', '\r\n', '> ', '- '];
    const part = fc.constantFrom(...pictures, ...others, ...'`|*\n\t\\\0', '```', '~~~', '😀');
    let replaced = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = `\n${parts.join('')}`;
        const file = { path: 'a.md', text, hasFile: (name: string) => name === 'p.webp' };
        const content = String(parseArticle(file).article.content);
        if (content !== text) replaced += 1;
        expect(content.replaceAll('/media/p.webp', 'p.webp')).toBe(text);
      }),
    );
    expect(replaced).toBeGreaterThan(20);
  });
});

test('symbolic links lead to files of the folder, and not out of it', async () => {
  const { warnings, folder } = await folderOf({
    'inside/a.md': '# A\n\n![](out.webp) ![](in.webp)',
    'inside/b.webp': '',
    'inside/.hidden/c.webp': '',
    'secret/secret.md': '# Secret',
    'secret/s.webp': '',
  });
  const link = (target: string, name: string) => symlink(target, join(folder, 'inside', name));
  await link('../secret/secret.md', 'secret.md');
  await link('../secret', 'folder');
  await link('../secret/s.webp', 'out.webp');
  await link('b.webp', 'in.webp');
  await link('a.md', 'same.md');
  const read = openFolder(join(folder, 'inside'), (line) => warnings.push(line));
  expect(titles(read().articles)).toEqual([
    ['same', 'A'],
    ['a', 'A'],
  ]);
  expect(read().articles[1]?.content).toContain('![](out.webp) ![](/media/in.webp)');
  expect(warnings).toContain('a.md: the picture "out.webp" does not exist in this folder.');
  expect(findFile(join(folder, 'inside'), '.hidden/c.webp')).toBeUndefined();
});

describe('front matter', () => {
  test('is read as in a load, and gives title and id', async () => {
    const { articles } = await folderOf({
      'a.md': front(
        'id: 2024-01-01\ntitle: 1984\ndate: 2024-05-01 10:00:00\nyes: yes\nsize: 0x10\nnone: ~\ntags: [a, 2024-01-01]',
      ),
      'b.md': front('id: 7\ntitle: True'),
    });
    expect(articles()).toEqual([
      {
        id: '2024-01-01',
        title: '1984',
        date: '2024-05-01 10:00:00Z',
        yes: 'yes',
        size: 16,
        none: null,
        tags: ['a', '2024-01-01'],
        content: 'Text\n',
        cover_image: null,
      },
      { id: 7, title: 'true', content: 'Text\n', cover_image: null },
    ]);
  });

  test('that repeats its parts without end is a problem of its file', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih', 'ji']) {
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`);
    }
    const { articles, problems } = await folderOf({ 'a.md': front(lines.join('\n')), 'b.md': '' });
    const start = performance.now();
    expect(articles()).toHaveLength(2);
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(problems()).toEqual({ a: expect.stringContaining('at most 100000 values') });
  });
});

test.each([
  ['a.md', '# One\n\n## Two', 'One'],
  ['a.md', 'Text\n\n## Two ##', 'Two'],
  ['a.md', 'One\n===\n', 'One'],
  ['a.md', '```\n# Code\n```\n', 'a'],
  ['posts/my-trip/index.md', 'Text', 'my-trip'],
  ['a.md', front('title: Given', '# One'), 'Given'],
  ['a.md', front('title:', '# One'), ''],
  ['a.md', '---\ntitle: without end\n', 'a'],
])('%s with %j has its title', async (path, text, title) => {
  const { articles } = await folderOf({ [path]: text });
  expect(articles()[0]?.title).toBe(title);
});

test('files with a date are listed first, the newest of them before all others', async () => {
  const { articles } = await folderOf({
    'old.md': front("pubDate: 'May 01 1969'"),
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
