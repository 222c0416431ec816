import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { readArticles } from '../fixtures/articles.ts';
import { startService } from '../fixtures/service.ts';
import type { Site } from '../test/helpers/site.ts';

/** The window of the reader, in pixels, and the part of the picture that shows it. */
const view = { width: 1200, height: 800 };
const shownView = { width: 900, height: 600 };
const frame = { width: shownView.width, height: shownView.height + 112 };
/** How long each frame is shown, in milliseconds. The whole picture takes 16 seconds. */
const delay = 2_250;
const examples = new URL('../fixtures/examples/', import.meta.url);
const id = 24;

interface Frame {
  caption: string;
  /** The path that a reader opens. */
  path: string;
  /** A text that is scrolled into view. */
  text?: string;
  /** What the build has printed. */
  line: string;
}

/**
 * Shows what a site does while its articles change: an edit appears, a title changes and its former URL redirects, and the
 * service is down.
 *
 * @returns an animated WebP
 */
export async function filmSite(browser: Browser, site: Site): Promise<Buffer> {
  const articles = readArticles(examples);
  const service = await startService({ articles, mediaFolder: examples });
  const context = await browser.newContext({ viewport: view });
  const reader = await context.newPage();
  const stage = await browser.newPage({ viewport: frame });
  const frames: Buffer[] = [];
  const draw = async ({ caption, path, text, line }: Frame, url: string) => {
    await reader.goto(new URL(path, url).href, { waitUntil: 'networkidle' });
    if (text) {
      const element = reader.getByText(text).first();
      await element.evaluate((found) => found.scrollIntoView({ block: 'center' }));
    }
    await reader.waitForLoadState('networkidle');
    const shown = await reader.screenshot({ animations: 'disabled' });
    const shownPath = decodeURI(new URL(reader.url()).pathname);
    frames.push(await drawFrame(stage, { shown, shownPath, caption, line }));
  };
  const build = async () => {
    const output = await site.build(service.env);
    const { url, stop } = await site.preview();
    return { line: lineOf(output), url, stop };
  };
  const former = '/articles/a-field-guide-to-clouds-24/';

  const config = await site.read('astro.config.mjs');
  await site.write(
    'astro.config.mjs',
    config.replace('...service,', "...service, failOn: ['articles'],"),
  );

  const first = await build();
  const title = 'A field guide to clouds';
  await draw({ caption: 'Articles of a service', path: '/', text: title, ...first }, first.url);
  await draw({ caption: 'One of them', path: former, ...first }, first.url);
  await first.stop();

  const content = articles.find((article) => article.id === id)?.content;
  const edit = 'Edited a minute ago.';
  service.change(id, { content: `**${edit}** ${content}` });
  const edited = await build();
  const next = 'An edit appears with the next build';
  await draw({ caption: next, path: former, text: edit, ...edited }, edited.url);
  await edited.stop();

  const newTitle = 'How to read clouds';
  service.change(id, { title: newTitle });
  const renamed = await build();
  const renaming = 'Its title changes, and so does its URL';
  await draw({ caption: renaming, path: '/', text: newTitle, ...renamed }, renamed.url);
  const redirected = `The former URL, ${former}, leads to the new one`;
  await draw({ caption: redirected, path: former, ...renamed }, renamed.url);
  await renamed.stop();

  await service.close();
  const down = await build();
  const outage = 'The service is down: the build has the last articles';
  await draw({ caption: outage, path: '/', text: newTitle, ...down }, down.url);
  await draw(
    { caption: 'All pages stay, and so does the redirect', path: former, ...down },
    down.url,
  );
  await down.stop();
  await context.close();
  await stage.close();

  return sharp(frames, { join: { animated: true } })
    .webp({ quality: 70, delay: frames.map(() => delay), loop: 0 })
    .toBuffer();
}

/** Returns the line of a load that counts articles, or says that the service cannot be used. */
function lineOf(output: string): string {
  const [line = ''] =
    /\[astro-articles\] (?:\d+ articles shown[^;]*|.*is unavailable)/.exec(output) ?? [];
  return line;
}

interface Drawing {
  shown: Buffer;
  shownPath: string;
  caption: string;
  line: string;
}

/** Draws a page below its URL, and above what the build has printed. */
async function drawFrame(stage: Page, { shown, shownPath, caption, line }: Drawing) {
  const picture = `data:image/png;base64,${shown.toString('base64')}`;
  await stage.setContent(`<style>
    body { margin: 0; font: 16px system-ui, sans-serif; background: #1d2733; color: #fff; }
    p { margin: 0; padding: 0 16px; line-height: 40px; height: 40px; white-space: nowrap; overflow: hidden; }
    #url { background: #e2e6e4; color: #333; }
    #caption { font-size: 19px; font-weight: 600; }
    #line { font: 14px monospace; color: #a9d6c3; line-height: 32px; height: 32px; }
    img { display: block; }
  </style><p id="url"></p><img src="${picture}" width="${shownView.width}" alt=""><p id="caption"></p><p id="line"></p>`);
  await stage.evaluate(
    (texts) => {
      for (const [name, text] of Object.entries(texts)) {
        const element = document.getElementById(name);
        if (element) element.textContent = text;
      }
    },
    { url: `https://www.example.com${shownPath}`, caption, line },
  );
  return stage.screenshot();
}
