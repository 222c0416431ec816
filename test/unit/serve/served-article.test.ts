import { expect, test } from 'vitest';
import { parseArticle } from '../../../src/serve/served-article.ts';

const pictures = new Set(['a.png', 'a b.png', 'a(1).png', "it's.png"]);
const front = (fields: string, text = 'Text\n') => `---\n${fields}\n---\n${text}`;

test.each([
  ...[
    '![]({a.png})',
    '![](  {a.png} "t")',
    '![](\t{a.png})',
    '![](<{a b.png}>)',
    '![]({a(1).png})',
  ],
  ...['[x]: {a.png}', ' \t> [x]:\t{a.png}', '[x]: <{a b.png}>', '[x]:{a.png}\n'],
  ...['<img src={a.png}>', '<img\tsrc = "{a b.png}">', "<img src\n=\n'{a b.png}'>"],
  ...['<img src="{it\'s.png}">', "[it's](<{it's.png}>)", '<img src="">![]({a.png})'],
  ...["<img src=''>![]({a.png})", '[](<>)![]({a.png})', '![]({a.png}<', '![]({a.png}>'],
  ...['<img src="{a.png}" alt="b">', "<img src='{a.png}' alt='b'>", '[](<{a.png}> "<b>")'],
  // Not code.
  '`a` ![]({a.png}) `b`',
  ...[
    '\\`![]({a.png})`',
    '`a\n\n![]({a.png})`',
    '`a\n \t\r\n![]({a.png})`',
    '~~\n![]({a.png})\n~~',
  ],
  ...['    ~~~\n![]({a.png})\n    ~~~', 'x ~~~\n![]({a.png})', '``` a`b\n![]({a.png})\n'],
  '~~~\n![](a.png)\n   ~~~\n![]({a.png})',
])('the URL in braces becomes one of the service: %j', (template) => {
  const text = template.replaceAll(/\{(.*?)\}/g, '$1');
  const served = template.replaceAll(/\{(.*?)\}/g, (_, name) => `/media/${encodeURI(name)}`);
  expect(parseArticle('a.md', text, pictures).content).toBe(served);
});

test.each([
  ...['`![](a.png)`', '`a\n![](a.png)`', '``` ![](a.png) ```'],
  ...[
    '~~~\n![](a.png)\n~~~',
    '   ~~~ md\n\n![](a.png)\n',
    '```\n![](a.png)\n\n``\n',
    '~~~\n![](a.png)',
  ],
  ...[
    '~~~\n    ~~~\n![](a.png)\n~~~',
    '~~~\nx ~~~\n![](a.png)\n~~~',
    '~~~~\n~~~\n![](a.png)\n~~~~',
  ],
  ...[
    'x [x]: a.png',
    '[]: a.png',
    '[a\nb]: a.png',
    '[x] : a.png',
    '[](b.png) (a.png)',
    '] (a.png)',
  ],
  ...['<img data-src=a.png>', '<imgsrc=a.png>', "<img src='a\nb.png'>", '](\na.png)'],
])('is unchanged: %j', (text) => {
  expect(parseArticle('a.md', text, pictures).content).toBe(text);
});

test.each([
  ['title\t:\t1.10', '1.10'],
  ['subtitle: 2.0\ntitle: 1.10', '1.10'],
  ['title: &x 1.10', '1.1'],
  ['title: !!float 1.10', '1.1'],
  ['title: 1.10 \t# a number', '1.10'],
  ['title: [a, [b]]', '[a, [b]]'],
])('the front matter %j has the title %j', (fields, title) => {
  expect(parseArticle('a.md', front(fields), pictures).title).toBe(title);
});

test.each(['title: [a, [b],\n  c]', 'title:\n  a: b', 'title: &x [a]'])(
  'the title of %j is not text',
  (fields) => {
    const problem = 'its title is a list or an object: write it in quotes';
    expect(() => parseArticle('a.md', front(fields), pictures)).toThrow(problem);
  },
);

test.each([
  ['#\tOne', 'One'],
  ['####### One', 'name'],
  ['One\nx==', 'name'],
  ['One\n==x', 'name'],
  ['One\n=', 'One'],
])('the first heading of %j gives the title %j', (text, title) => {
  expect(parseArticle('name.md', text, pictures).title).toBe(title);
});

test.each([
  ['content/blog/2024/A b.MD', '2024/a-b'],
  ['src/content/blog/2024/A b.markdown', '2024/a-b'],
  ['x/content/blog/2024/A b.md', 'A b'],
  ['content/blog/x/index-2/a.md', 'x/index-2/a'],
  ['content/blog/x/index.md', 'x'],
  ['content/blog/index.md', 'index'],
])('the file %s has the id %s', (path, id) => {
  expect(parseArticle(path, '', pictures).id).toBe(id);
});
