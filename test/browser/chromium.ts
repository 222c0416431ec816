import { type Browser, chromium } from 'playwright-core';

/** The Chromium of the system, or the one that CHROMIUM names. */
export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium for Playwright. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: chromiumFlags });
}
