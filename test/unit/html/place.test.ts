import { describe, expect, it } from 'vitest';
import { finish } from '../../helpers/finish.ts';

describe('an item', () => {
  it.each([
    '<ul><li>a<ol><li>b</li></ol></li></ul>',
    '<menu><li>a</li></menu>',
    '<dir><li>a</li></dir>',
    '<ul><div><li>a</li></div></ul>',
    '<dl><dt>a</dt><dd>b</dd></dl>',
    '<dl><div><dt>a</dt><dd><ul><li>b</li></ul></dd></div></dl>',
  ])('of a list of the article stays: %s', async (html) => {
    const { html: written, dropped } = await finish(html);
    expect([written, dropped]).toEqual([html, []]);
  });

  it.each([
    ['<li>x</li>', 'x', 'li'],
    ['<div><dt>x</dt></div>', '<div>x</div>', 'dt'],
    ['<ul><dd>x</dd></ul>', '<ul>x</ul>', 'dd'],
    ['<dl><li>x</li></dl>', '<dl>x</dl>', 'li'],
    [
      '<ul><li>a<section><li>b</li></section></li></ul>',
      '<ul><li>a<section>b</section></li></ul>',
      'li',
    ],
    [
      '<dl><dd>a<section><dt>b</dt></section></dd></dl>',
      '<dl><dd>a<section>b</section></dd></dl>',
      'dt',
    ],
  ])('without a list is replaced by its content, and reported: %s', async (given, written, tag) => {
    for (const sanitize of [true, 'strict', { tags: [tag] }] as const) {
      const { html, dropped } = await finish(given, { sanitize });
      expect(html).toBe(written);
      expect(dropped).toEqual([`<${tag}> outside of a list`]);
    }
  });
});

describe('the words of an article', () => {
  it.each(['<i>two</i>', '<i aria-hidden="false">two</i>', '<code>two</code>'])(
    'contain those of %s',
    async (html) => expect((await finish(`<p>one ${html}</p>`)).words).toBe(2),
  );

  it.each([
    '<pre>two</pre>',
    '<sup>two</sup>',
    '<button>two</button>',
    '<i aria-hidden="true">two</i>',
    '<button><b>two</b></button>',
    '<svg><text>two</text></svg>',
    '<math><semantics><annotation>two</annotation></semantics></math>',
    '<style>two</style>',
    '<script>two</script>',
  ])('do not contain those of %s', async (html) => {
    for (const sanitize of [true, false])
      expect((await finish(`<p>one ${html}</p>`, { sanitize })).words).toBe(1);
  });

  const inline = 'a abbr b code del em i ins kbd mark q s small span strong sub u';
  it.each(inline.split(' '))('are not divided by <%s>', async (tag) => {
    const { words, description } = await finish(`<p>o<${tag}>n</${tag}>e</p>`);
    expect([words, description]).toEqual([1, 'one']);
  });
});
