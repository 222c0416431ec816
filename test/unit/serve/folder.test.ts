import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../../src/serve/folder.ts';
import { parseArticle } from '../../../src/serve/served-article.ts';
import { processorTime } from '../../helpers/processor-time.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

async function folderOf(files: Record<string, string | Uint8Array>) {
  const folder = join(await temporaryFolder(), 'served');
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  const read = openFolder(folder);
  const articles = () => read().files.map(({ article }) => article);
  const titles = () =>
    read().files.map(({ article: { id, title }, problem }) => [id, problem ?? title]);
  return { read, articles, titles, write, folder };
}

const front = (fields: string, text = 'Text\n') => `---\n${fields}\n---\n${text}`;

describe('pictures of a folder', () => {
  test('work in its texts, its HTML and its front matter, and code is unchanged', async () => {
    /** The URLs in braces change. */
    const template = `![A]({pic.webp} "title") ![B][b] [![C](<{my pic.png}>)](other.md) ![D]({/top.gif})
<img alt="E" src='{pic.webp}'> <img src={pic.webp} alt="F"> ![u]({U\u0308.avif}) ![e]({\u00e9.png}) a\\\`![]({pic.webp})\`

> <figure><img src="{../top.gif}"></figure>

1. item

    ![G]({a(1).png}) ![H]({50%.png})

\`![H](pic.webp)\` and \`\`\`![H](pic.webp)\`\`\`

~~~~ md
\`\`\`
![H](pic.webp)
~~~~

[b]: {my%20pic.png}
![I](https://example.com/pic.webp) ![I](https://example.com/top.gif) ![J](//example.com/top.gif) ![J](//example.com/pic.webp) ![K](gone.webp)
`;
    const replaced = (replace: (name: string) => string) =>
      template.replace(/\{(.+?)\}/g, (_, name) => replace(name));
    const names = ['pic.webp', '\u00dc.avif', 'e\u0301.png', 'my pic.png', 'a(1).png', '50%.png'];
    const gallery = 'gallery: [{ src: pic.webp, note: pic.webp is nice }]';
    const { read, articles } = await folderOf({
      'posts/one.md': front(
        gallery,
        replaced((name) => name),
      ),
      ...Object.fromEntries(names.map((name) => [`posts/${name}`, ''])),
      'top.gif': '',
    });
    const served = (name: string) => `/media${new URL(name, 'http://a/posts/').pathname}`;
    expect(articles()).toEqual([
      {
        ...{ id: 'one', title: 'one', cover_image: null, content: replaced(served) },
        gallery: [{ src: '/media/posts/pic.webp', note: 'pic.webp is nice' }],
      },
    ]);
    const paths = [...names.map((name) => `posts/${name}`), 'top.gif'];
    expect([...read().pictures.values()].toSorted()).toEqual(paths.toSorted());
  });

  test.each([
    ['cover: pic.webp\nheroImage: other.webp', '/media/pic.webp'],
    ['cover_image: ./pic.webp', '/media/pic.webp'],
    ['image: a\nheroImage: b\ncover_image: pic.webp', '/media/pic.webp'],
    ['image: a\nheroImage: pic.webp', '/media/pic.webp'],
    ['cover:\nheroImage: pic.webp', '/media/pic.webp'],
    ['cover: " "\nheroImage: pic.webp', '/media/pic.webp'],
    ['image: https://a.example/b.png', 'https://a.example/b.png'],
    ['image: { url: /pic.webp, alt: Waves }', { url: '/media/pic.webp', alt: 'Waves' }],
    ['image: true\ncover: ""', null],
  ])('are the cover of a file with %j', async (fields, cover) => {
    const { articles } = await folderOf({ 'a.md': front(fields), 'pic.webp': '' });
    expect(articles()[0]?.cover_image).toEqual(cover);
  });

  test('whose names are titles or ids do not change these', async () => {
    const { titles } = await folderOf({
      'a.md': front('id: pic.webp\ntitle: pic.webp'),
      'pic.webp': '',
    });
    expect(titles()).toEqual([['pic.webp', 'pic.webp']]);
  });

  test('are served as soon as they exist', async () => {
    const { articles, write } = await folderOf({ 'texts #1/a.md': '![](gone.webp)' });
    expect(articles()[0]?.content).toBe('![](gone.webp)');
    await write('texts #1/gone.webp', '');
    expect(articles()[0]?.content).toBe('![](/media/texts%20%231/gone.webp)');
  });

  test('are served under their new names, in texts that have not changed', async () => {
    const { articles, folder } = await folderOf({ 'a.md': '![](new.webp)', 'old.webp': '' });
    expect(articles()[0]?.content).toBe('![](new.webp)');
    await rename(join(folder, 'old.webp'), join(folder, 'new.webp'));
    expect(articles()[0]?.content).toBe('![](/media/new.webp)');
  });

  test('are the only part of a text that changes', () => {
    const image = '![a](p.webp)';
    const pictures = [image, `[${image}](p.webp)`, '<img src="p.webp">', '[p]: p.webp'];
    const others = ['![p]', 'p.webp', '&amp;', '<!-- ', ' -->', '    ', '\n\n', '\r\n', '> ', '- '];
    const part = fc.constantFrom(...pictures, ...others, ...'`|*\n\t\\\0', '```', '~~~', '😀');
    let replaced = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = `\n${parts.join('')}`;
        const content = String(parseArticle('a.md', text, new Set(['p.webp'])).content);
        if (content !== text) replaced += 1;
        expect(content.replaceAll('/media/p.webp', 'p.webp')).toBe(text);
      }),
      { examples: [[['[p]: p.webp', '\0']]] },
    );
    expect(replaced).toBeGreaterThan(20);
  });
});

test('symbolic links, hidden files and MDX are not served', async () => {
  const { folder, read, titles } = await folderOf({
    'a.md': '# A\n\n![](out.webp) ![](.hidden/c.webp)',
    'b.mdx': '# B',
    'c.MDX': '# C',
    'd.mdx.txt': '# D',
    '.hidden/c.webp': '',
    'node_modules/d.md': '# D',
    '../secret/secret.md': '# Secret',
    '../secret/s.webp': '',
  });
  await symlink('../secret/secret.md', join(folder, 'secret.md'));
  await symlink('../secret', join(folder, 'folder'));
  await symlink('../secret/s.webp', join(folder, 'out.webp'));
  expect(titles()).toEqual([['a', 'A']]);
  expect([...read().pictures]).toEqual([]);
  expect(read().warnings).toEqual(
    ['b.mdx', 'c.MDX'].map((name) => `${name} is not served: the service sends no MDX.`),
  );
});

test.each([
  ['a/b.md', 'b'],
  ['a/b.markdown', 'b'],
  ['B.MARKDOWN', 'B'],
  ['index.markdown', 'index'],
  ['a/index.markdown', 'a'],
  ['src/content/blog/A b.markdown', 'a-b'],
  ['src/content/blog/a/index.md', 'a'],
])('the file %s has the id %s', async (path, id) => {
  const { titles, read } = await folderOf({ [path]: front('title: A') });
  expect(titles()).toEqual([[id, 'A']]);
  expect(read().warnings).toEqual([]);
});

test('front matter is read as in a load, and gives title and id', async () => {
  const fields =
    'title: 1984\ndate: 2024-05-01 10:00:00\nyes: yes\nsize: 0x10\nnone: ~\ntags: [a, 2024-01-01]';
  const { articles } = await folderOf({
    'a.md': front(`id: 2024-01-01\n${fields}`),
    'b.md': front('id: 7\ntitle: True'),
  });
  const rest = { content: 'Text\n', cover_image: null };
  const parsed = { yes: 'yes', size: 16, none: null, tags: ['a', '2024-01-01'] };
  expect(articles()).toEqual([
    { id: '2024-01-01', title: '1984', date: '2024-05-01 10:00:00Z', ...parsed, ...rest },
    { id: 7, title: 'True', ...rest },
  ]);
});

test.each([
  ['a.md', '# One\n\n## Two', ['a', 'One']],
  ['a.md', 'Text\n\n## Two ##', ['a', 'Two']],
  ['a.md', 'One\n===\n', ['a', 'One']],
  ['a.md', 'One  \r\n=  \r\n', ['a', 'One']],
  ['a.md', ' One\n===\n\n# Two \t#\t', ['a', 'Two']],
  ['a.md', '===\n\n# C#', ['a', 'C#']],
  ['a.md', '#\n# \n## ##\n#No\n    # Code\n   ###### Three', ['a', 'Three']],
  ['a.md', `# ${'x'.repeat(501)}\n# ${'y'.repeat(500)}`, ['a', 'y'.repeat(500)]],
  ['a.md', '```\n# Code\n```\n', ['a', 'a']],
  ['posts/my-trip/index.md', 'Text', ['my-trip', 'my-trip']],
  ['index.md', 'Text', ['index', 'index']],
  // Those of `glob()`.
  ['content/blog/2024/Sea Trip.md', 'Text', ['2024/sea-trip', 'Sea Trip']],
  ['content/blog/2024/trip/index.md', 'Text', ['2024/trip', 'trip']],
  ['src/content/blog/Part-2.md', front('slug: Part/2', '# Two'), ['Part/2', 'Two']],
  ['content/blog/Part-2.md', front('slug: ""', '# Two'), ['part-2', 'Two']],
  ['content/Part-2.md', front('slug: two', '# Two'), ['Part-2', 'Two']],
  ['a.md', front('title: Given', '# One'), ['a', 'Given']],
  ['a.md', front('title:', '# One'), ['a', '']],
  // As it is written, and not as YAML reads it.
  ['a.md', front('title: 1.10'), ['a', '1.10']],
  ['a.md', front('title: 1.10', ''), ['a', '1.10']],
  ['a.md', front('title:   0123   # a number'), ['a', '0123']],
  ['a.md', front('title: [Draft]'), ['a', '[Draft]']],
  ['a.md', front('title: {a: 1} # an object'), ['a', '{a: 1}']],
  ['a.md', front('x: 1\ntitle: 1e3\r'), ['a', '1e3']],
  ['a.md', front('"title": 1.50'), ['a', '1.5']],
  ['a.md', front('x: &x 1.5\ntitle: *x'), ['a', '1.5']],
  ['a.md', front('title: "[Draft] #1"'), ['a', '[Draft] #1']],
  ['a.md', '+++\ntitle = 1.10\n+++\n', ['a', '1.10']],
  ['a.md', '---\ntitle: without end\n', ['a', 'a']],
  ['a.md', '+++\ntitle = "Given"\n+++\n# One', ['a', 'Given']],
  ['a.md', front('a line of prose', '# One'), ['a', 'One']],
])('%s with %j has its id and title', async (path, text, title) => {
  expect((await folderOf({ [path]: text })).titles()).toEqual([title]);
});

test('files with a date are listed first, the newest of them before all others', async () => {
  const { articles } = await folderOf({
    'old.md': front("pubDate: 'May 01 1969'"),
    'new.md': front('date: 2024-05-01 12:00:00 +0200'),
    'same-day.md': front('date: 2024-05-01'),
    'epoch.md': front('date: 1970-01-01'),
    'z.md': '',
    'b10.md': '',
    'b9.md': front('date: soon'),
    'paper.md': front('pubDatetime: 2024-04-04T04:04:04Z'),
    'wind.md': front('publishDate: 2024-04-03'),
    'cms.md': front('publishedAt: 2024-04-02T00:00:00Z\npublished: true'),
    'fuwari.md': front('published: 2024-04-01\ndate: soon'),
    'shown.md': front('published: true\npublishedAt: { toString: 1 }\npublishDate: 1'),
  });
  const dated = ['new', 'same-day', 'paper', 'wind', 'cms', 'fuwari', 'epoch', 'old'];
  const listed = [...dated, 'z', 'shown', 'b10', 'b9'];
  expect(articles().map(({ id }) => id)).toEqual(listed);
});

test('the first field with a date counts, as blogs name it', async () => {
  const fields = ['date', 'pubDate', 'pubDatetime', 'publishDate', 'publishedAt', 'published'];
  const files = fields.map((name, at) => {
    const others = fields.slice(at + 1).map((other) => `${other}: 2000-01-01`);
    return [`${name}.md`, front([...others, `${name}: 2024-01-0${9 - at}`].join('\n'))];
  });
  const { articles } = await folderOf({
    ...Object.fromEntries(files),
    'z.md': front('date: 2023-01-01'),
  });
  expect(articles().map(({ id }) => id)).toEqual([...fields, 'z']);
});

test('an id is the same as a number and as a text, and another one in upper case', async () => {
  const ids = { 'a.md': '7', 'b.md': '"7"', 'c.md': 'x', 'd.md': 'X' };
  const files = Object.entries(ids).map(([name, id]) => [name, front(`id: ${id}`)]);
  const { titles } = await folderOf(Object.fromEntries(files));
  expect(titles()).toEqual([
    ['X', 'd'],
    ['x', 'c'],
    [7, expect.stringContaining('a.md and b.md have the same id "7"')],
  ]);
});

test('two files of one id are listed as one article with a problem, next to the others', async () => {
  const { titles, write } = await folderOf({
    'en/hello.md': '# Hello',
    'de/hello.md': '# Hallo',
    'other.md': '# Other',
  });
  const other = ['other', 'Other'];
  const problem =
    'de/hello.md and en/hello.md have the same id "hello". Give one of them another `id` in its front matter.';
  expect(titles()).toEqual([other, ['hello', problem]]);
  await write('de/hello.md', front('id: hallo', '# Hallo'));
  expect(titles()).toEqual([other, ['hello', 'Hello'], ['hallo', 'Hallo']]);
});

describe('a file that cannot be used', () => {
  const notUtf8 = 'The encoded data was not valid for encoding utf-8';
  /** A few lines of YAML for millions of values. */
  const endless = Array.from({ length: 9 }, (_, level) => {
    const part = level === 0 ? 'x' : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: 9 }, () => part).join(', ')}]`;
  });
  test.each([
    [notUtf8, Buffer.from('\uFEFF# Títle', 'utf16le')],
    [notUtf8, Buffer.from('# Título', 'latin1')],
    [
      'its front matter is invalid YAML in line 2: bad indentation of a mapping entry',
      front('title: a: b'),
    ],
    ['its title is a list or an object: write it in quotes', front('title:\n  - a')],
    ['its title is a list or an object: write it in quotes', front('title: [a,\n  b]')],
    ['its front matter is invalid TOML in line 2: invalid value', '+++\ntitle = a\n+++\n'],
    [
      'its front matter is invalid YAML, field a6: expected at most 16777216 characters of JSON',
      front(endless.join('\n')),
    ],
  ])('is listed with its reason, next to the others: %s', async (reason, content) => {
    const good = '\uFEFF---\ntitle: Título\n---\n';
    const { titles, read } = await folderOf({ 'good.md': good, 'bad.md': content });
    const problem = `bad.md cannot be used: ${reason}. Files are UTF-8, and front matter is YAML or TOML.`;
    const time = processorTime(() => {
      expect(titles()).toEqual([
        ['good', 'Título'],
        ['bad.md', problem],
      ]);
    });
    expect(time).toBeLessThan(2_000);
    expect(read().warnings).toEqual([problem]);
  });

  test.each(['true', '1.5', '[a]', '".."', '""'])('is one with the id %s', async (id) => {
    const { read } = await folderOf({ 'a.md': front(`id: ${id}`, '# A') });
    expect(read().warnings.join()).toMatch(/^a\.md cannot be used: its id/);
  });

  test('keeps the id and the place that it had', async () => {
    const good = front('id: tides\ndate: 2024-05-01', '# Tides');
    const { titles, write } = await folderOf({
      'a.md': good,
      'b.md': front('date: 2020-01-01', '# B'),
    });
    const listed = (title: unknown) => [
      ['tides', title],
      ['b', 'B'],
    ];
    expect(titles()).toEqual(listed('Tides'));
    await write('a.md', front('id: tides\ntitle: a: b\ndate: 2024-05-01'));
    expect(titles()).toEqual(listed(expect.stringContaining('a.md cannot be used')));
    await write('a.md', good);
    expect(titles()).toEqual(listed('Tides'));
  });

  test('never takes the id of another file', async () => {
    const broken = front('id: a: x');
    const { titles } = await folderOf({ 'de/hello.md': '# Hello', 'en/hello.md': broken });
    expect(titles()).toEqual([
      ['hello', 'Hello'],
      ['en/hello.md', expect.stringContaining('en/hello.md cannot be used')],
    ]);
  });
});
