import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { siteAt } from '../../../src/content/site-state.ts';
import { createRefresher } from '../../../src/integration/dev/refresher.ts';
import type { LoadReport } from '../../../src/report/load-report.ts';

let root: URL;
let count = 0;

beforeEach(() => {
  count += 1;
  root = new URL(`file:///site-${count}/`);
});
afterEach(() => vi.useRealTimers());

const reportOf = (collection: string, more: Partial<LoadReport> = {}): LoadReport => ({
  collection,
  status: 'synced',
  at: 0,
  duration: 1,
  warnings: [],
  ...more,
});

/** Loads a collection like Astro. */
function load(...collections: string[]): void {
  const site = siteAt(root);
  site.loads += 1;
  for (const name of collections) site.reports.set(name, reportOf(name));
}

test('it waits until Astro has read the content config', async () => {
  let calls = 0;
  const refresher = createRefresher(root, async () => {
    calls += 1;
    if (calls === 3) load('articles');
  });
  expect(await refresher.refresh()).toMatchObject({ reports: [{ collection: 'articles' }] });
  expect(calls).toBe(3);
});

test('it reports a load that fails, and a load that only the service prevented', async () => {
  const refresher = createRefresher(root, async () => {
    load();
    throw new Error('The key is wrong.');
  });
  expect(await refresher.refresh()).toMatchObject({ error: 'The key is wrong.' });
  const other = createRefresher(root, async () => {
    load();
    siteAt(root).reports.set('articles', reportOf('articles', { status: 'kept', error: 'down' }));
  });
  expect(await other.refresh()).toMatchObject({ error: 'down' });
});

test('a collection is still reported after the clock steps back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 2_000_000 });
  const refresher = createRefresher(root, async () => {
    // The loader stores the time of day in its report.
    vi.setSystemTime(1_000_000);
    load('articles');
    siteAt(root).bodies.set('articles', [async () => undefined]);
  });
  await refresher.refresh();
  vi.setSystemTime(500_000);
  await refresher.refresh();
  expect([...siteAt(root).bodies.keys()]).toEqual(['articles']);
  expect(refresher.state().reports).toHaveLength(1);
});

test('it forgets a collection that is no longer part of the site', async () => {
  let names = ['articles', 'news'];
  const refresher = createRefresher(root, async () => load(...names));
  await refresher.refresh();
  names = ['articles'];
  await refresher.refresh();
  expect([...siteAt(root).reports.keys()]).toEqual(['articles']);
});

test('it stops waiting when another server has taken over', async () => {
  const refresher = createRefresher(root, async () => undefined);
  const refreshed = refresher.refresh();
  refresher.close();
  expect(await refreshed).toMatchObject({ error: 'The dev server has restarted.' });
});

test('`onChange` is called when a load begins and ends', async () => {
  const states: unknown[] = [];
  const refresher = createRefresher(
    root,
    async () => load('articles'),
    ({ isBusy, reports }) => states.push([isBusy, reports.length]),
  );
  await refresher.refresh();
  expect(states).toEqual([
    [true, 0],
    [false, 1],
  ]);
});
