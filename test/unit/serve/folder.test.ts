import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readFolder } from '../../../src/serve/folder.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

async function folderOf(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = join(await temporaryFolder(), 'served');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

const front = (fields: string, text = 'Text\n') => `---\n${fields}\n---\n${text}`;

/** Returns the files of a folder that has no other ones. */
async function read(files: Record<string, string | Uint8Array>) {
  return readFolder(await folderOf(files));
}

test('an article has the fields of the front matter, and its text as it is written', async () => {
  const text = '# Heading\n\n[a](b.md) `![](pic.webp)`\n\n```md\n![](pic.webp)\n\n\n```\n';
  const fields =
    'title: "Tides"\nauthor: Ada\ntags: [sea]\nplace: { name: Brest }\ndate: 2024-05-01';
  const { files, warnings } = await read({ 'a.md': front(fields, text), 'pic.webp': '' });
  expect(warnings).toEqual([]);
  expect(files.map(({ article }) => article)).toEqual([
    {
      ...{ id: 'a', title: 'Tides', content: text, cover_image: null },
      ...{ author: 'Ada', tags: ['sea'], place: { name: 'Brest' }, date: '2024-05-01' },
    },
  ]);
});

test.each(['title:', 'title: ""'])('an empty title (%s) is that of a draft', async (fields) => {
  const { files, warnings } = await read({ 'a.md': front(fields) });
  expect(files[0]?.article?.title).toBe('');
  expect(warnings).toEqual([]);
});

test('front matter may be TOML', async () => {
  const { files } = await read({ 'a.markdown': '+++\ntitle = "Tides"\n+++\nText\n' });
  expect(files).toMatchObject([{ id: 'a', article: { title: 'Tides', content: 'Text\n' } }]);
});

test.each([
  ['pic.webp', '/posts/pic.webp'],
  ['./my pic.webp', '/posts/my%20pic.webp'],
  ['../top.gif', '/top.gif'],
  ['../../../top.gif', '/top.gif'],
  ['/media/top.gif', '/media/top.gif'],
  ['https://a.example/b.png', 'https://a.example/b.png'],
])('the cover %s of a file in `posts` has the URL %s', async (cover, url) => {
  for (const field of ['cover', 'heroImage', 'cover_image']) {
    const { files } = await read({ 'posts/a.md': front(`title: A\n${field}: ${cover}`) });
    expect(files[0]?.article?.cover_image).toBe(url);
  }
});

test.each([
  ['![Snow](snow.jpg)', '![Snow](/posts/snow.jpg)'],
  ['![`a`](../snow.jpg "Title") `b`', '![`a`](/snow.jpg "Title") `b`'],
  ['[![](<./snow.jpg>)](a.md)', '[![](</posts/snow.jpg>)](a.md)'],
  ['![](https://a.example/b.png)', '![](https://a.example/b.png)'],
])('the image %s of a text in `posts` becomes %s', async (text, expected) => {
  const { files } = await read({ 'posts/a.md': front('title: A', text) });
  expect(files[0]?.article?.content).toBe(expected);
});

test.each([
  ['hello-world.md', '', 'hello-world'],
  ['posts/hello.md', '', 'hello'],
  ['posts/tides/index.md', '', 'tides'],
  ['index.md', '', 'index'],
  ['a.md', 'id: 7', '7'],
  ['a.md', 'slug: other', 'a'],
  ['src/content/blog/2024/My Post.md', '', '2024/my-post'],
  ['content/blog/tides/index.md', '', 'tides'],
  ['content/blog/a.md', 'slug: other', 'other'],
  ['content/blog/a.md', 'slug: other\nid: own', 'own'],
])('the id of %s with %j is %s', async (path, fields, id) => {
  const { files } = await read({ [path]: front(`title: A\n${fields}`) });
  expect(files.map((file) => file.id)).toEqual([id]);
  expect(String(files[0]?.article?.id)).toBe(id);
});

test('files with a date come first, newest at the top, then the highest number', async () => {
  const { files } = await read({
    'one.md': front('title: A\ndate: 2024-05-01'),
    'two.md': front('title: A\npubDate: Jul 08 2025'),
    'three.md': front('title: A\ndate: 2023-05-01T10:00:00Z'),
    '9.md': front('title: A'),
    '10.md': front('title: A\ndate: soon'),
  });
  expect(files.map(({ id }) => id)).toEqual(['two', 'one', 'three', '10', '9']);
});

test.each<[string, string | Uint8Array, string]>([
  ['no front matter', 'Text', 'needs a `title`'],
  ['no title', front('author: Ada'), 'needs a `title`'],
  ['a title that is a number', front('title: 1.10'), 'in quotes'],
  ['front matter that cannot be parsed', front('title: [a'), 'its front matter is invalid YAML'],
  ['another encoding', Buffer.from(front('title: Caf\xe9'), 'latin1'), 'not valid'],
])(
  'a file with %s is named with the reason, and the others are served',
  async (_, text, reason) => {
    const { files, warnings } = await read({ 'a.md': text, 'b.md': front('title: B') });
    expect(files.map(({ id, article }) => [id, article?.title])).toEqual([
      ['b', 'B'],
      ['a', undefined],
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^a\.md cannot be used: /)]);
    expect(warnings[0]).toContain(reason);
  },
);

test('of two files with the same id, the first is served, and both are named', async () => {
  const { files, warnings } = await read({
    'a.md': front('title: A\nid: same\ndate: 2025-01-01'),
    'b.md': front('title: B\nid: same'),
  });
  expect(files.map(({ article }) => article?.title)).toEqual(['A']);
  expect(warnings).toEqual([expect.stringContaining('a.md and b.md have the same id "same"')]);
});

test('hidden files, packages and links are not served, and MDX is named', async () => {
  const folder = await folderOf({
    'a.md': front('title: A'),
    'page.mdx': '',
    '.hidden.md': front('title: B'),
    '.git/c.md': front('title: C'),
    'node_modules/d/d.md': front('title: D'),
    'notes.txt': 'private',
    'pics/e.WEBP': '',
    'pics/.f.png': '',
  });
  await writeFile(join(folder, '../outside.md'), front('title: Outside'));
  await symlink(join(folder, '../outside.md'), join(folder, 'linked.md'));
  const { files, pictures, warnings } = readFolder(folder);
  expect(files.map(({ path }) => path)).toEqual(['a.md']);
  expect([...pictures]).toEqual(['pics/e.WEBP']);
  expect(warnings).toEqual(['page.mdx is not served: the service sends no MDX.']);
});
