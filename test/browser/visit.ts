import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, ConsoleMessage, Dialog, Frame, Page, Request } from 'playwright-core';
import { exercise, openFrames, watch } from './in-page.ts';
import { canary } from './payloads.ts';

const ran = /^\[ran] (\S+) ?(.*)/;

/** The origin of the site in the browser. */
export const origin = 'https://site.example';

/** Handles all requests of the browser: serves the pages of a folder, and the files of the canary host. */
export async function serve(context: BrowserContext, folder: string): Promise<void> {
  await context.addInitScript(watch);
  await context.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    const { pathname } = url;
    if (url.origin === canary)
      return route.fulfill(canaryFiles[pathname] ?? { contentType: 'text/html' });
    if (pathname === '/empty/') return route.fulfill({ contentType: 'text/html', body: '' });
    const isPage = url.origin === origin && pathname.endsWith('/');
    const body = isPage
      ? await readFile(join(folder, pathname, 'index.html')).catch(() => undefined)
      : undefined;
    return route.fulfill(body ? { contentType: 'text/html', body } : { status: 404 });
  });
}

const canaryFiles: Record<string, { contentType: string; body: string }> = {
  '/x.js': { contentType: 'text/javascript', body: 'alert(1)' },
  '/x.css': { contentType: 'text/css', body: '*{}' },
  '/x.png': {
    contentType: 'image/svg+xml',
    body: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>',
  },
  '/x.svg': {
    contentType: 'image/svg+xml',
    body: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>',
  },
  '/page.html': { contentType: 'text/html', body: '<script>alert(1)</script>' },
};

/** Types of requests to the canary host that are allowed: articles may contain images and videos. */
const harmless = new Set(['image', 'media']);

/** Opens a page, does all that a reader may do with its articles, and returns what must not happen. */
export async function visit(page: Page, path: string): Promise<string[]> {
  const signs = new Set<string>();
  const address = `${origin}${path}`;
  const onConsole = (message: ConsoleMessage) => {
    const [, name] = ran.exec(message.text()) ?? [];
    if (name) signs.add(`${name} ran`);
  };
  const onDialog = (dialog: Dialog) => {
    signs.add(`a dialog: ${dialog.type()}`);
    dialog.dismiss().catch(() => undefined);
  };
  const onRequest = (request: Request) => {
    const isHarmful = request.url().startsWith(canary) && !harmless.has(request.resourceType());
    if (isHarmful) signs.add(`a ${request.resourceType()} of the canary host was requested`);
  };
  const onPopup = (popup: Page) => {
    signs.add('a window was opened');
    popup.close().catch(() => undefined);
  };
  const onNavigated = (frame: Frame) => {
    const isAway = frame.parentFrame() === null && frame.url().split('#')[0] !== address;
    if (isAway && frame.url() !== 'about:blank') signs.add('the page was left');
  };
  page.on('console', onConsole).on('dialog', onDialog).on('request', onRequest);
  page.on('popup', onPopup).on('framenavigated', onNavigated);
  try {
    await page.goto(address, { waitUntil: 'load' });
    await page.keyboard.press('Tab');
    for (const sign of await page.evaluate(exercise, true)) signs.add(sign);
  } catch (error) {
    signs.add(`the page broke: ${error}`);
  }
  page.removeAllListeners();
  return [...signs];
}

/** Opens pages in frames, touches all their elements, and returns the paths of those that ran a script. */
export async function runIn(page: Page, paths: readonly string[]): Promise<Set<string>> {
  const ranIn = new Set<string>();
  page.on('console', (message) => {
    const [, , path] = ran.exec(message.text()) ?? [];
    if (path) ranIn.add(path);
  });
  page.on('popup', (popup) => popup.close().catch(() => undefined));
  await page.goto(`${origin}/empty/`);
  await page.evaluate(openFrames, paths);
  const frames = page.frames().filter((frame) => frame.parentFrame() === page.mainFrame());
  // The script is interrupted in a page that a payload navigates away.
  await Promise.all(frames.map((frame) => frame.evaluate(exercise, false).catch(() => undefined)));
  return ranIn;
}
