import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, HTTPRequest, Page, PageEvents, ResponseForRequest } from 'puppeteer-core';
import * as puppeteer from 'puppeteer-core';
import { isLong } from '../helpers/runs.ts';
import { chromiumFlags, chromiumPath } from './chromium.ts';
import { exercise, watch } from './in-page.ts';
import { canary } from './payloads.ts';

/** The browsers that open articles, with the arguments to start them. */
const engines = {
  Chromium: { browser: 'chrome', executablePath: chromiumPath, args: chromiumFlags },
  /** The Firefox of the system, or the one that FIREFOX names, over WebDriver BiDi. */
  Firefox: { browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr' },
} as const;

type Engine = keyof typeof engines;

/** The browsers that open articles: Firefox, too, with `TEST_SCALE`. */
export const triedEngines: readonly Engine[] = isLong ? ['Chromium', 'Firefox'] : ['Chromium'];

/** Starts a browser. */
export function start(engine: Engine): Promise<Browser> {
  return puppeteer.launch(engines[engine]);
}

const ran = /^\[ran\] (\S+)/;

/** The origin of the site in the browser. */
export const origin = 'https://site.example';

const canaryFiles: Record<string, Partial<ResponseForRequest>> = {
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

async function responseTo(address: string, folder: string): Promise<Partial<ResponseForRequest>> {
  const url = new URL(address);
  const html = { contentType: 'text/html', body: '' };
  if (url.origin === canary) return canaryFiles[url.pathname] ?? html;
  if (url.origin !== origin || !url.pathname.endsWith('/')) return { status: 404 };
  const file = join(folder, url.pathname, 'index.html');
  const body = await readFile(file, 'utf8').catch(() => undefined);
  return body === undefined ? { status: 404 } : { ...html, body };
}

/** Opens a tab that gets the pages of a folder, and the files of the canary host. */
export async function openTab(browser: Browser, folder: string): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.evaluateOnNewDocument(watch);
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    const response = await responseTo(request.url(), folder);
    // A page that is left does not wait for responses.
    await request.respond(response).catch(() => undefined);
  });
  return page;
}

/** Whether a request is for an image, a sound or a video, which articles may contain. */
function isForMedia(request: HTTPRequest): boolean {
  // Puppeteer knows the type of a request in Chromium only. That requests sounds and videos as ranges of any type.
  const { accept = '', range } = request.headers();
  return range !== undefined || /^(?:image|audio|video)\//.test(accept);
}

type Listeners = {
  [Name in 'console' | 'dialog' | 'request' | 'popup' | 'framenavigated']: (
    event: PageEvents[Name],
  ) => void;
};

/** Opens a page, does all that a reader may do with its articles, and returns what must not happen. */
export async function visit(page: Page, path: string): Promise<string[]> {
  const signs = new Set<string>();
  const address = `${origin}${path}`;
  const listeners: Listeners = {
    console(message) {
      const [, name] = ran.exec(message.text()) ?? [];
      if (name) signs.add(`${name} ran`);
    },
    dialog(dialog) {
      signs.add(`a dialog: ${dialog.type()}`);
      dialog.dismiss().catch(() => undefined);
    },
    request(request) {
      const isHarmful = request.url().startsWith(canary) && !isForMedia(request);
      if (isHarmful) signs.add(`${request.headers().accept} was requested of the canary host`);
    },
    popup(popup) {
      signs.add('a window was opened');
      popup?.close().catch(() => undefined);
    },
    framenavigated(frame) {
      const isAway = frame === page.mainFrame() && frame.url().split('#')[0] !== address;
      if (isAway && frame.url() !== 'about:blank') signs.add('the page was left');
    },
  };
  const entries = Object.entries(listeners) as [keyof Listeners, () => void][];
  for (const [name, listener] of entries) page.on(name, listener);
  try {
    await page.goto(address, { waitUntil: 'load' });
    await page.keyboard.press('Tab');
    for (const sign of await page.evaluate(exercise, true)) signs.add(sign);
  } catch (error) {
    signs.add(`the page broke: ${error}`);
  }
  for (const [name, listener] of entries) page.off(name, listener);
  return [...signs];
}
