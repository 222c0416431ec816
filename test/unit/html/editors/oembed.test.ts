import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

describe('an <oembed>', () => {
  const url = 'https://www.youtube.com/watch?v=1&t=2';
  const embed = `<figure class="media"><oembed url="${url}"></oembed></figure>`;
  const href = url.replace('&', '&amp;');

  it('is a link to its page', async () => {
    for (const sanitize of [true, 'strict'] as const) {
      const { html, dropped } = await finish(embed, { sanitize });
      expect(html).toContain(`><a href="${href}">${href}</a></figure>`);
      expect(dropped).not.toContain('<oembed>');
    }
  });

  it.each(['HTTP://a.example/', ' https://a.example/ '])(
    'is a link, however its URL is written: %j',
    async (given) => {
      const { html } = await finish(`<oembed url="${given}"></oembed>`);
      expect(html).toBe(`<a href="${given.trim()}">${given.trim()}</a>`);
    },
  );

  it('is not a link within a link', async () => {
    const { html } = await finish(`<a href="/x">t<oembed url="${url}"></oembed></a>`);
    expect(html).toBe(`<a href="/x">t</a><a href="${href}">${href}</a>`);
  });

  it.each(['', 'url=""', 'url=" "', 'url="javascript:alert(1)"', 'url="data:text/html,x"'])(
    'is replaced by its own content if it has any, or no http URL: %s',
    async (attribute) => {
      expect((await finish(`<oembed ${attribute}></oembed>`)).html).toBe('');
      expect((await finish(`<oembed ${attribute}>x</oembed>`)).html).toBe('x');
      expect((await finish(`<oembed url="${url}">x</oembed>`)).html).toBe('x');
    },
  );
});
