import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

const blank = [
  '<p>&nbsp;</p>',
  '<p>&#160;</p>',
  '<p>\u00a0 \n</p>',
  '<p><br></p>',
  '<p class="ql-align-center"><br><br></p>',
  '<p><br class="ProseMirror-trailingBreak"></p>',
  '<p style="text-align:center"><strong>&nbsp;</strong></p>',
  '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>',
  ...['b', 'i', 'em', 'u'].map((tag) => `<p><${tag}><br></${tag}></p>`),
  '<p><span style="font-size:12pt"><font size="2">&nbsp;<br></font></span></p>',
];

describe('a paragraph of nothing but breaks and blanks', () => {
  it.each(blank)('is removed from an article of HTML: %s', async (paragraph) => {
    for (const sanitize of [true, 'strict'] as const) {
      const given = `<p>a</p>${paragraph}<blockquote>${paragraph}<p>b</p></blockquote>${paragraph}`;
      const { html, dropped } = await finish(given, { format: 'html', sanitize });
      expect([html, dropped]).toEqual(['<p>a</p><blockquote><p>b</p></blockquote>', []]);
    }
  });

  it.each(blank)('stays in Markdown, whose authors mean it: %s', async (paragraph) => {
    expect((await finish(`<p>a</p>${paragraph}`)).html).toMatch(/^<p>a<\/p><p/);
  });

  it('stays with `sanitize: false`', async () => {
    const { html } = await finish('<p>&nbsp;</p>', { format: 'html', sanitize: false });
    expect(html).toBe('<p>&nbsp;</p>');
  });
});

it.each([
  '<p></p>',
  '<p class="chart"></p>',
  '<p>a<br></p>',
  '<p><br><img src="https://a.example/a.jpg"></p>',
  '<p>&nbsp;<a href="/x">&nbsp;</a></p>',
  '<p><br><code>&nbsp;</code></p>',
  '<div><br></div>',
  '<table><tbody><tr><td>&nbsp;</td></tr></tbody></table>',
  '<p id="user-content-a">&nbsp;</p>',
])('a paragraph that shows something else, and another element, stays: %s', async (html) => {
  // Without a break, the text would not be searched.
  const given = `${html}<p>a<br></p>`;
  expect((await finish(given, { format: 'html' })).html).toBe(given);
});
