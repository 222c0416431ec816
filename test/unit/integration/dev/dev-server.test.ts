import type { HookParameters } from 'astro';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { siteAt } from '../../../../src/content/site-state.ts';
import { startDevServer } from '../../../../src/integration/dev/dev-server.ts';
import { messages, type RefreshState } from '../../../../src/integration/dev/toolbar-app.ts';
import type { LoadReport } from '../../../../src/report/load-report.ts';
import { skipPauses } from '../../../helpers/time.ts';

let root: URL;
beforeEach(() => {
  root = new URL(`file:///site-${Math.random()}/`);
});
afterEach(() => vi.restoreAllMocks());

const reportOf = (collection: string, more: Partial<LoadReport> = {}): LoadReport => ({
  ...{ collection, status: 'synced', duration: 1, notices: [] },
  ...more,
});

/** Loads a collection like Astro. */
function load(...collections: string[]): void {
  const site = siteAt(root);
  site.loads += 1;
  for (const name of collections) site.reports.set(name, reportOf(name));
}

/** Says how a collection that has been loaded is loaded again. */
function setReload(name: string, reload: () => Promise<void>): void {
  siteAt(root).reports.set(name, reportOf(name));
  siteAt(root).reloads.set(name, reload);
}

/** Starts a dev server whose Astro loads in this way. */
function start(refreshContent: (options: object) => Promise<void>, interval?: number) {
  const listeners = new Map<string, () => void>();
  const states: RefreshState[] = [];
  const errors: string[] = [];
  const restart = () => {
    startDevServer(root, { interval, secret: undefined }, {
      server: { middlewares: { use() {} } },
      toolbar: {
        on: (name: string, listener: () => void) => listeners.set(name, listener),
        send: (_: string, state: RefreshState) => states.push(state),
      },
      refreshContent,
      logger: { error: (text: string) => errors.push(text) },
    } as unknown as HookParameters<'astro:server:setup'>);
  };
  restart();
  return {
    states,
    errors,
    restart,
    stop: () => siteAt(root).stopServer(),
    press: () => listeners.get(messages.refresh)?.(),
    request: () => listeners.get(messages.request)?.(),
    /** Presses the button, and returns the state after the load. */
    async refresh(): Promise<RefreshState | undefined> {
      const before = states.length;
      listeners.get(messages.refresh)?.();
      await expect.poll(() => states.length).toBeGreaterThan(before);
      return states.at(-1);
    },
  };
}

/** Lets all that waits for no timer happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('it sends its state when a toolbar requests it, without a load', async () => {
  const { states, request } = start(async () => load('articles'));
  siteAt(root).reports.set('news', reportOf('news'));
  request();
  expect(states).toMatchObject([{ reports: [{ collection: 'news' }] }]);
});

test('refreshes before a load starts share it, and those while it runs share the next one', async () => {
  let loads = 0;
  const { states, press } = start(async () => {
    loads += 1;
    if (loads === 1) for (const _ of [1, 2]) press();
    load('articles');
  });
  for (const _ of [1, 2, 3]) press();
  await settle();
  expect([loads, states.length]).toEqual([2, 2]);
});

test('the first refresh loads all collections, and later ones only those of this package', async () => {
  const requests: object[] = [];
  const { refresh, restart } = start(async (options) => {
    requests.push(options);
    if (requests.length > 2) load('articles', 'news');
  });
  for (const _ of [1, 2]) expect((await refresh())?.reports).toHaveLength(2);
  const ours = expect.objectContaining({ loaders: ['astro-articles'] });
  expect(requests).toEqual([{}, {}, {}, ours]);
  restart();
  await expect.poll(() => requests).toEqual([{}, {}, {}, ours, {}]);
});

test('a refresh calls the loaders without Astro if it is not ready, or reports the reason', async () => {
  skipPauses();
  const { refresh, errors } = start(async () => undefined);
  const reason = 'Astro did not read src/content.config within 10 seconds.';
  expect(await refresh()).toMatchObject({ error: reason });
  expect(errors).toEqual([`The articles could not be refreshed: ${reason}`]);
  setReload('articles', async () => load('articles'));
  expect(await refresh()).toMatchObject({ reports: [{ collection: 'articles' }] });
});

test('a check of the listing loads each collection, also after one that fails', async () => {
  const loaded: string[] = [];
  for (const name of ['broken', 'articles']) {
    setReload(name, async () => {
      loaded.push(name);
      if (name === 'broken') throw new Error('The key is wrong.');
    });
  }
  const { stop, errors } = start(async () => undefined, 1);
  await expect.poll(() => loaded).toEqual(expect.arrayContaining(['broken', 'articles']));
  await expect.poll(() => errors).toEqual([expect.stringContaining('The key is wrong.')]);
  stop();
});

test('a check of the listing loads no collection again before its first load has ended', async () => {
  const loaded: string[] = [];
  setReload('articles', async () => void loaded.push('articles'));
  siteAt(root).reloads.set('news', async () => void loaded.push('news'));
  const { stop } = start(async () => undefined, 1);
  await expect.poll(() => loaded.length).toBeGreaterThan(2);
  expect(loaded).not.toContain('news');
  siteAt(root).reports.set('news', reportOf('news'));
  await expect.poll(() => loaded).toContain('news');
  stop();
});

test('it reports a load that fails, once, and a load that only the service prevented', async () => {
  let failure: string | undefined = 'The key is wrong.';
  const { refresh, errors } = start(async () => {
    load('news');
    siteAt(root).reports.set('articles', reportOf('articles', { status: 'kept', error: 'down' }));
    if (failure) throw new Error(failure);
  });
  for (const _ of [1, 2]) expect(await refresh()).toMatchObject({ error: 'The key is wrong.' });
  expect(errors).toEqual(['The articles could not be refreshed: The key is wrong.']);
  failure = undefined;
  expect(await refresh()).toMatchObject({ error: 'down' });
  expect(errors).toHaveLength(1);
});

test('it sends its state when a load ends, and nothing after another server has taken over', async () => {
  const { states, refresh, stop, errors } = start(async () => load('articles'));
  await refresh();
  expect(states.map(({ reports }) => reports.length)).toEqual([1]);
  const waiting = start(async () => undefined);
  waiting.press();
  await settle();
  waiting.stop();
  await settle();
  expect(waiting.states).toEqual([]);
  expect([...waiting.errors, ...errors]).toEqual([]);
  stop();
});

test('the interval begins when a load has ended, so a slow service has a pause', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const begin = Date.now();
  const starts: number[] = [];
  setReload('articles', async () => {
    starts.push(Date.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
  });
  start(async () => {}, 1_000);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(starts).toEqual([1_000, 4_500, 8_000]);
});

test('it calls the loaders at an interval without Astro, until it stops or another one starts', async () => {
  let reloads = 0;
  let loads = 0;
  setReload('articles', async () => {
    reloads += 1;
  });
  const refreshContent = async () => {
    loads += 1;
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  start(refreshContent, 1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(reloads).toBe(0);
  await vi.advanceTimersByTimeAsync(2_001);
  expect(reloads).toBe(3);
  // As after a change of astro.config.
  start(refreshContent);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([reloads, loads]).toEqual([3, 0]);
});
