import { type Browser, chromium } from 'playwright-core';

const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync';

/** Starts the Chromium of the system, or the one that CHROMIUM names. */
export function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: flags.split(' ') });
}
