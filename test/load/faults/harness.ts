import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import {
  type Fault,
  type FaultRule,
  type FixtureService,
  type ServiceOptions,
  startService,
} from '../../../fixtures/service.ts';
import type { ArticlesError } from '../../../src/errors.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { mirrored, type SyncRun, snapshot, syncOnce } from '../../helpers/sync.ts';

export const always = Number.POSITIVE_INFINITY;
export const key = 'fault-test-key-4711';

export interface FaultBench {
  readonly service: FixtureService;
  readonly folder: string;
  /** Syncs with the service as it is now. */
  sync(options?: ArticlesOptions, more?: Parameters<typeof syncOnce>[2]): Promise<SyncRun>;
  strike(on: FaultRule['on'], fault: Fault, times?: number, skip?: number): void;
  /** Syncs, expects it to fail, and that the mirror stays byte for byte what it was. */
  fails(options?: ArticlesOptions): Promise<ArticlesError>;
  /** Syncs, and expects the mirror to be what the service is. */
  succeeds(options?: ArticlesOptions): Promise<SyncRun>;
}

/** A service with six articles, and a mirror that holds all but the newest as it now is. */
export function useFaultBench(options: ServiceOptions = {}): FaultBench {
  let service: FixtureService;
  let folder: string;
  let undo: (() => void)[] = [];

  beforeAll(async () => {
    service = await startService({ apiKey: key, ...options });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faults-'));
    service.replace(makeArticles(6));
    await bench.sync();
    service.change(6, { content: 'changed since' });
    service.clearRequests();
  });
  afterEach(async () => {
    for (const each of undo) each();
    undo = [];
    service.beforeAnswer = undefined;
    Object.assign(service.options, { maxLimit: 500, envelope: 'results', ignoreOffset: false });
    await rm(folder, { recursive: true, force: true });
  });

  const bench: FaultBench = {
    get service() {
      return service;
    },
    get folder() {
      return folder;
    },
    sync: (given = {}, more = {}) =>
      syncOnce(folder, { baseUrl: service.url, apiKey: key, ...given }, more),
    strike(on, fault, times = 1, skip = 0) {
      undo.push(service.fail({ on, fault, times, skip }));
    },
    async fails(given) {
      const before = await snapshot(folder);
      const error = await bench.sync(given).then(
        () => expect.fail('the sync went well'),
        (reason) => reason,
      );
      expect(await snapshot(folder)).toBe(before);
      expect(`${error.message}${error.hint}${error.stack}`).not.toContain(key);
      return error;
    },
    async succeeds(given) {
      const run = await bench.sync(given);
      const served = service.articles.map(({ id, title, content }) => ({
        id: String(id),
        title,
        content,
      }));
      expect(await mirrored(folder, service.url)).toEqual(served);
      return run;
    },
  };
  return bench;
}
