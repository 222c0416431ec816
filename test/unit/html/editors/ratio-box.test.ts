import { describe, expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

const frame = (style: string) =>
  `<iframe src="https://www.youtube.com/embed/1" style="${style}"></iframe>`;
const iframes = ['player.vimeo.com', 'www.youtube.com', 'cdn.iframe.ly'];

describe('a frame that is placed on a box with its ratio', () => {
  const codes = {
    Vimeo:
      '<div style="padding:56.25% 0 0 0;position:relative;"><iframe src="https://player.vimeo.com/video/1?h=a" frameborder="0" allow="autoplay; fullscreen" style="position:absolute;top:0;left:0;width:100%;height:100%;" title="T"></iframe></div>',
    CKEditor:
      '<figure class="media"><div><div style="position: relative; padding-bottom: 100%; height: 0; padding-bottom: 56.25%;"><iframe src="https://www.youtube.com/embed/1" style="position: absolute; width: 100%; height: 100%; top: 0; left: 0;" frameborder="0" allowfullscreen></iframe></div></div></figure>',
    Iframely:
      '<div style="left: 0; width: 100%; height: 0; position: relative; padding-bottom: 56.25%;"><iframe src="https://cdn.iframe.ly/1" style="top: 0; left: 0; width: 100%; height: 100%; position: absolute; border: 0;" allowfullscreen></iframe></div>',
    'capital letters':
      '<div style="PADDING-TOP:56.25%"><iframe src="https://www.youtube.com/embed/1" style="POSITION : Absolute; Width:100%; HEIGHT: 100%"></iframe></div>',
    'older code': `<div class="embed-container" style="position:relative;padding:0 0 56.25%;height:0;overflow:hidden"><iframe src='https://www.youtube.com/embed/1' width="560" height="315" style='position:absolute;inset:0;width:100%;height:100%'></iframe></div>`,
  };

  it.each(Object.entries(codes))('has that ratio itself: %s', async (_, code) => {
    const { html, dropped } = await finish(code, { sanitize: { iframes } });
    expect(html).toMatch(
      /<iframe[^>]* style="[^"]*width:100%;height:auto;aspect-ratio:100\/56.25"/,
    );
    expect(html).not.toMatch(/padding|absolute|height: ?0/);
    expect(dropped).toEqual([]);
  });

  it.each([
    'padding-top:@%',
    'padding-bottom:@%',
    'Padding-Bottom : @%',
    'padding:0 0 @%',
    'padding: 0 0 @% 0',
    'padding:@% 0 0',
    'padding:@% 0 0 0',
  ])('has that ratio, written with up to 12 characters, on a box with `%s`', async (padding) => {
    const digits = '56.2493750001';
    for (let length = 1; length <= digits.length; length += 1) {
      const percent = digits.slice(0, length);
      const box = `<div style="${padding.replace('@', percent)}">${frame('position:absolute;width:100%;height:100%')}</div>`;
      const { html } = await finish(box, { sanitize: { iframes } });
      const [, ratio] = /aspect-ratio:([^;"]*)/.exec(html) ?? [];
      expect(ratio).toBe(length <= 12 ? `100/${Number(percent)}` : undefined);
    }
  });

  it.each(Object.entries(codes))('leaves no gap if it is dropped: %s', async (_, code) => {
    const { html, dropped } = await finish(`<p>a</p>${code}<p>b</p>`);
    expect(html).toBe('<p>a</p><p>b</p>');
    expect(dropped).toEqual([expect.stringMatching(/^iframe [a-z.]+$/)]);
  });

  it.each([
    ['', 'width:100%'],
    ['padding:5%', 'width:100%'],
    ['padding:5% 0', 'width:100%'],
    ['padding-top:56%', 'width:50px;height:100%'],
    ['padding-top:56%', 'width:100%;height:300px'],
  ])('only loses its position on a box with `%s`, if it has `%s`', async (ofBox, width) => {
    const box = (style: string) => `<div style="${ofBox}">${frame(style)}</div>`;
    const { html, dropped } = await finish(box(`position:absolute;${width}`), {
      sanitize: { iframes },
    });
    expect([html, dropped]).toEqual([box(width).replace(' style=""', ''), ['style on iframe']]);
  });

  it('has that ratio itself if it waits for a script, next to a <noscript>', async () => {
    const shown = frame('position:absolute;width:100%;height:100%');
    const waiting = shown.replace('src=', 'data-src=');
    const box = `<div style="padding-top:50%">${waiting}<noscript>${shown}</noscript></div>`;
    const { html } = await finish(box, { sanitize: { iframes } });
    expect(html).toBe(
      `<div>${frame('display:block;width:100%;height:auto;aspect-ratio:100/50')}</div>`,
    );
  });
});

describe('a frame in its place', () => {
  it.each([
    `<div style="padding:5%">${frame('width:100%')}</div>`,
    `<div style="padding-top:10%">${frame('position:relative;top:0')}</div>`,
    `<div style="padding:1em 2%">${frame('width:50%;height:9em')}</div>`,
  ])('keeps its style: %s', async (html) => {
    expect((await finish(html, { sanitize: { iframes } })).html).toBe(html);
  });
});

describe('a box with padding', () => {
  it.each([
    '<table><tbody><tr><td style="padding:2%">@</td><td>b</td></tr></tbody></table>',
    '<ol><li style="padding:1% 0 0">@</li><li>b</li></ol>',
    '<details open=""><summary style="padding-top:1%">@</summary>x</details>',
    '<h2 id="t" style="padding-top:1%">@</h2>',
    '<div style="padding-top:9%">@</div>',
    '<section style="padding-top:9%"><div class="chart"></div>@</section>',
  ])('stays if something other than a frame is dropped from it: %s', async (html) => {
    for (const part of ['<script></script>', '<o:p> </o:p>', '<form></form>']) {
      const finished = await finish(html.replace('@', part), { slugs: ['t'] });
      expect(finished.html).toBe(html.replace('@', part.startsWith('<o:p') ? ' ' : ''));
    }
  });

  it('stays around the target of a link, if a frame is dropped from it', async () => {
    const box = (inside: string) =>
      `<div style="padding-top:9%"><span id="k"></span>${inside}</div><p><a href="#k">k</a></p>`;
    expect((await finish(box(frame('')))).html).toBe(box(''));
    const own = (inside: string) =>
      `<div id="k" style="padding-top:9%">${inside}</div><p><a href="#k">k</a></p>`;
    expect((await finish(own(frame('')))).html).toBe(own(''));
  });
});

describe('the styles of a box and its frame', () => {
  const nested = (box: string, ofFrame: string) => `<div style="${box}">${frame(ofFrame)}</div>`;
  const covering = 'position:absolute;width:100%;height:100%';
  const sized = 'display:block;width:100%;height:auto;aspect-ratio:100/50';

  it('lose what places them, and nothing else', async () => {
    const box = 'PADDING-TOP : 50%;height:0;padding:0 0 50%;min-height:0;color:red';
    const ofFrame = 'TOP:0;right :0;bottom:0;left:0;inset:0;border:0;margin-left:1px';
    const { html } = await finish(nested(box, `${covering};${ofFrame}`), { sanitize: { iframes } });
    expect(html).toBe(nested('min-height:0;color:red', `border:0;margin-left:1px;${sized}`));
  });
});
