import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

describe('the name of a link', () => {
  const link = '<a href="#part">x</a>';

  it.each([
    ['<a name="part"></a>', '<a id="part"></a>', []],
    ['<a name="part" id="part">A</a>', '<a id="part">A</a>', []],
    ['<a name="other" id="part">A</a>', '<a id="part">A</a>', ['name on a']],
    ['<a name="unused">A</a>', '<a>A</a>', ['id on a']],
    ['<a name="part"></a><a name="part">A</a>', '<a id="part"></a><a>A</a>', []],
    ['<a name="part"></a><p id="part">A</p>', '<a></a><p id="part">A</p>', []],
    ['<a name="">A</a>', '<a>A</a>', ['name on a']],
    ['<a name="&lt;b&gt;">A</a>', '<a>A</a>', ['id with a tag on a']],
    ['<img name="part">', '<img>', ['name on img']],
  ])('is the id that other links lead to: %s', async (html, kept, reported) => {
    const finished = await finish(html + link);
    expect([finished.html, finished.dropped]).toEqual([kept + link, reported]);
  });

  it.each(['über', '%C3%BCber'])('is an id for the link to #%s', async (fragment) => {
    const { html } = await finish(`<a name="über">A</a><a href="#${fragment}">x</a>`);
    expect(html).toBe(`<a id="über">A</a><a href="#${fragment}">x</a>`);
  });

  it.each(['<a name="part"></a><h2 id="part">A</h2>', '<h2 id="part"><a name="part">A</a></h2>'])(
    'gives way to the id of a heading: %s',
    async (html) => {
      const finished = await finish(html, { slugs: ['part'] });
      expect([finished.html, finished.dropped]).toEqual([html.replace(' name="part"', ''), []]);
    },
  );

  it('is always removed, makes no id twice, and is the same after another pass', async () => {
    let named = 0;
    const name = fc.constantFrom('a', 'location', 'user-content-a', 'b', '', '&lt;img src=x&gt;');
    const attribute = fc.oneof(
      name.map((value) => `name="${value}"`),
      name.map((value) => `id="${value}"`),
      name.map((value) => `href="#${value}"`),
      fc.constant('href="https://a.example/"'),
    );
    const element = fc
      .tuple(
        fc.constantFrom('a', 'p', 'h2'),
        fc.uniqueArray(attribute, { selector: (text) => text.split('=')[0], maxLength: 3 }),
      )
      .map(([tag, attributes]) => `<${tag} ${attributes.join(' ')}>x</${tag}>`);
    await fc.assert(
      fc.asyncProperty(fc.array(element, { maxLength: 6 }), async (elements) => {
        const { html } = await finish(elements.join(''));
        if (elements.some((each) => /^<a .*name="./.test(each))) named += 1;
        expect(html).not.toContain('name=');
        const own = elements.filter((each) => / id="/.test(each)).length;
        const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        if (own === 0) expect(new Set(ids).size).toBe(ids.length);
        if (own === 0) expect((await finish(html)).html).toBe(html);
      }),
    );
    expect(named).toBeGreaterThan(20);
  });
});
