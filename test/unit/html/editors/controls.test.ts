import { expect, it } from 'vitest';
import { finish } from '../../../helpers/finish.ts';

const svg = '<svg viewBox="0 0 9 9"><path d="M0 0h9"></path></svg>';

it.each([
  [
    'a player of Ghost',
    `<div class="kg-card kg-audio-card"><img src="" class="kg-audio-thumbnail kg-audio-hide"><audio src="https://a.example/a.mp3"></audio><div class="kg-audio-title">Waves</div><div class="kg-audio-player"><button class="kg-audio-play-icon">${svg}</button><span class="kg-audio-current-time">0:00</span>/<span>60</span><input type="range"><button>1×</button></div></div>`,
    '<div class="kg-card kg-audio-card"><audio src="https://a.example/a.mp3" controls=""></audio><div class="kg-audio-title">Waves</div></div>',
  ],
  [
    'a film of Ghost',
    `<div class="kg-video-container"><video src="https://a.example/a.mp4" controls=""></video><div class="kg-video-overlay"><button class="kg-video-large-play-icon">${svg}</button></div><div class="kg-video-player-container"><div class="kg-video-player">0:00</div></div></div>`,
    '<div class="kg-video-container"><video src="https://a.example/a.mp4" controls=""></video></div>',
  ],
  [
    'the arrow of a toggle of Ghost',
    `<div class="kg-toggle-heading"><h4 id="q">Q</h4><button class="kg-toggle-card-icon">${svg}</button></div>`,
    '<div class="kg-toggle-heading"><h4 id="q">Q</h4></div>',
  ],
  [
    'the button of a picture of WordPress',
    `<figure class="wp-lightbox-container"><img src="https://a.example/a.jpg"><button class="lightbox-trigger" type="button" data-wp-init="x">${svg}</button></figure>`,
    '<figure class="wp-lightbox-container"><img src="https://a.example/a.jpg"></figure>',
  ],
])('%s is removed without a notice', async (_, given, shown) => {
  const { html, dropped } = await finish(given, { slugs: ['q', 'a'] });
  expect([html, dropped]).toEqual([shown, []]);
});

it('a button of the article stays', async () => {
  const html = '<p><button class="kg-btn lightbox-trigger-off">Buy</button></p>';
  expect((await finish(html)).html).toBe(html);
});
