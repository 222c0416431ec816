import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import {
  type Fault,
  type FaultRule,
  type FixtureService,
  startService,
} from '../../../fixtures/service.ts';
import { articlesLoader } from '../../../src/content/loader.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import {
  createLoaderContext,
  type LoaderContextOptions,
  snapshot,
  type TestLoaderContext,
} from '../../helpers/loader-context.ts';
import { always, key } from './harness.ts';

let service: FixtureService;
/** A site that has been built once; each test works on a copy. */
let built: string;
let root: string;
let undo: (() => void)[] = [];

beforeAll(async () => {
  service = await startService({ apiKey: key });
  root = built = await mkdtemp(join(tmpdir(), 'loader-'));
  useArticles();
  await load();
});
afterAll(async () => {
  await service.close();
  await rm(built, { recursive: true });
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loader-'));
  await cp(built, root, { recursive: true });
  useArticles();
  service.change(6, { content: 'changed since' });
  service.clearRequests();
});
afterEach(async () => {
  for (const each of undo) each();
  undo = [];
  await rm(root, { recursive: true, force: true });
});

function useArticles(): void {
  service.replace(makeArticles(6));
  service.change(1, { cover_image: '/media/pause.gif' });
}

function strike(on: FaultRule['on'], fault: Fault, times = always): void {
  undo.push(service.fail({ on, fault, times }));
}

/** Loads as one build does, with Astro's store as the last one left it. */
async function load(options: ArticlesOptions = {}, more: Partial<LoaderContextOptions> = {}) {
  const context = await createLoaderContext({ root, ...more });
  const given = { baseUrl: service.url, apiKey: key, timeout: 10_000, retry: { limit: 0 } };
  const failure = await articlesLoader({ ...given, ...options })
    .load(context)
    .then(
      () => undefined,
      (error) => error,
    );
  await context.save();
  return { context, failure };
}

async function state(): Promise<Record<string, string>> {
  return snapshot(await createLoaderContext({ root }));
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

const entryOf = ({ store }: TestLoaderContext, id: string) => store.get(id);
const warnings = ({ lines }: TestLoaderContext) =>
  lines.filter(({ level }) => level === 'warn').map(({ message }) => message);

const status = (code: number, headers = {}): Fault => ({ kind: 'status', status: code, headers });
const body = (text: string | Buffer): Fault => ({ kind: 'body', body: text });
const raw = (text: string): Fault => ({ kind: 'raw', bytes: text });
const away = 'https://elsewhere.example/';

/** Row, where it strikes, what it is, and the code of the error. */
const faults: [number, 'list' | 'article', Fault, string][] = [
  [6, 'list', { kind: 'close' }, 'network'],
  [7, 'list', { kind: 'reset' }, 'network'],
  [8, 'list', { kind: 'cut' }, 'network'],
  [8, 'article', { kind: 'cut' }, 'network'],
  [9, 'list', { kind: 'cut', chunked: true }, 'network'],
  [10, 'list', { kind: 'cut', closeDelimited: true }, 'bad-json'],
  [12, 'list', { kind: 'slowHeaders' }, 'timeout'],
  [13, 'article', { kind: 'stall' }, 'timeout'],
  [14, 'list', { kind: 'drip' }, 'timeout'],
  [15, 'list', raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{"results":[]}'), 'bad-json'],
  [16, 'list', raw('hello there\r\n\r\n'), 'protocol'],
  [17, 'list', { kind: 'gzipCut' }, 'bad-json'],
  [18, 'list', { kind: 'gzipCorrupt' }, 'network'],
  [19, 'article', { kind: 'gzipBomb', size: 20_000_000 }, 'invalid-articles'],
  [20, 'article', { kind: 'huge' }, 'invalid-articles'],
  [21, 'list', { kind: 'html' }, 'not-json'],
  [22, 'list', { kind: 'empty' }, 'empty-body'],
  [22, 'article', status(204), 'invalid-articles'],
  [23, 'list', status(206), 'unexpected-status'],
  [24, 'list', status(304), 'unexpected-status'],
  [27, 'list', { kind: 'redirect', location: '?again' }, 'redirect'],
  [28, 'list', { kind: 'redirect', location: away }, 'redirect'],
  [28, 'article', { kind: 'redirect', location: away }, 'redirect'],
  [30, 'list', { kind: 'redirect', location: 'javascript:1' }, 'redirect'],
  [32, 'list', status(400), 'refused'],
  [33, 'list', status(401), 'unauthorized'],
  [34, 'article', status(403), 'unauthorized'],
  [35, 'list', status(404), 'not-found'],
  [37, 'list', status(409), 'refused'],
  [38, 'list', status(414), 'refused'],
  [39, 'list', status(429), 'throttled'],
  [41, 'list', status(429, { 'retry-after': '86400' }), 'throttled'],
  [43, 'list', status(500), 'server-error'],
  [44, 'article', status(500), 'invalid-articles'],
  [45, 'list', status(501), 'server-error'],
  [47, 'list', body('{"results": [NaN]}'), 'bad-json'],
  [48, 'article', body(Buffer.from('{"title":"é"}', 'latin1')), 'invalid-articles'],
  [49, 'list', body('['.repeat(100_000) + ']'.repeat(100_000)), 'too-deep'],
  [52, 'list', body('{"detail":"no"}'), 'unexpected-shape'],
  [53, 'list', body('{"results":[null],"count":1,"next":null}'), 'invalid-articles'],
  [54, 'article', body('{"id":6,"title":7,"content":"c"}'), 'invalid-articles'],
  [56, 'list', body('{"results":[{"id":".."}],"count":1,"next":null}'), 'invalid-articles'],
  [57, 'list', body('{"results":[{"id":1},{"id":"1"}]}'), 'id-clash'],
  [58, 'article', body('{"id":5,"title":"t","content":"c"}'), 'invalid-articles'],
  [60, 'list', body('{"results":[{"id":6}],"count":9}'), 'offset-ignored'],
  [61, 'list', body('{"results":[],"count":0,"next":null}'), 'mass-removal'],
];

/** Answers that never end are not waited for; all others get the time that a busy machine needs. */
function impatience({ kind }: Fault): ArticlesOptions {
  return ['slowHeaders', 'stall', 'drip'].includes(kind) ? { timeout: 150 } : {};
}

const ownFaults = new Set(['invalid-articles', 'mirror-unwritable']);

describe('a load that fails', () => {
  it.each(faults)(
    'row %i: in the %s leaves mirror and store as they were (%o)',
    async (_, on, fault, code) => {
      strike(on, fault);
      const before = await state();
      const { failure } = await load(impatience(fault));
      expect(failure).toMatchObject({ code });
      expect(failure.message).toMatch(/^Collection "articles" \(astro-articles\): /);
      expect(`${failure.stack}${failure.hint}`).not.toContain(key);
      expect(await state()).toEqual(before);
    },
  );

  it('row 1: says that the last good state is still there', async () => {
    const before = await state();
    const { failure } = await load({ baseUrl: `http://127.0.0.1:${await closedPort()}` });
    expect(failure).toMatchObject({ code: 'network' });
    // Another address is another service, whose mirror is not to be built from.
    expect(failure.message).not.toContain('last good state');
    expect((await state())['(store)']).toBe(before['(store)']);

    strike('list', { kind: 'close' });
    expect((await load()).failure.message).toContain('`onUnavailable: "keep"` would build from it');
  });

  it.each(faults.filter(([, , , code]) => !ownFaults.has(code)))(
    'row %i: in the %s is a loud warning where the last good state may do (%o)',
    async (_, on, fault) => {
      strike(on, fault);
      const before = await state();
      const { context, failure } = await load({ onUnavailable: 'keep', ...impatience(fault) });
      expect(failure).toBeUndefined();
      expect(warnings(context)).toEqual([
        expect.stringMatching(/^THE ARTICLES ARE NOT UP TO DATE\. Using the mirror of 0 min ago: /),
      ]);
      expect(await state()).toEqual(before);
    },
  );

  it('row 43: in dev keeps the site going, even with no articles at all', async () => {
    strike('any', status(500));
    await rm(root, { recursive: true });
    const { context, failure } = await load({}, { command: 'dev' });
    expect(failure).toBeUndefined();
    expect(context.store.keys()).toEqual([]);
    expect(warnings(context)).toEqual([expect.stringContaining('There is no mirror yet: ')]);
  });

  it('row 43: without a mirror to go on from ends a build, even one that may keep', async () => {
    strike('any', status(500));
    await rm(root, { recursive: true });
    expect((await load({ onUnavailable: 'keep' })).failure).toMatchObject({ code: 'server-error' });
  });

  it('row 64: for want of a folder names it, and leaves Astro’s store as it was', async () => {
    const { mirrorFolder } = await createLoaderContext({ root });
    const folder = join(mirrorFolder, 'articles');
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    const before = await state();
    const { failure } = await load({ onUnavailable: 'keep' });
    expect(failure).toMatchObject({ code: 'mirror-unwritable' });
    expect(failure.message).toContain(folder);
    expect(await state()).toEqual(before);
  });
});

describe('one article that fails', () => {
  it.each([
    [44, status(500), 'answered 500'],
    [54, body('{"id":6,"title":["t"],"content":"c"}'), 'field title'],
    [58, body('{"id":1,"title":"t","content":"c"}'), 'answered with the article "1"'],
  ] as const)(
    'row %i: stays as it was where it may, and the others come in',
    async (_, fault, reason) => {
      service.change(5, { title: 'New title' });
      strike(({ id }) => id === '6', fault);
      const { context, failure } = await load({ onInvalid: 'keep' });
      expect(failure).toBeUndefined();
      expect(entryOf(context, '6')?.body).not.toBe('changed since');
      expect(entryOf(context, '6')).toBeDefined();
      expect(entryOf(context, '5')?.data).toMatchObject({ title: 'New title' });
      expect(context.store.keys()).toHaveLength(6);
      const [warning, ...others] = warnings(context);
      expect(warning).toContain('article "6"');
      expect(warning).toContain(reason);
      expect(others).toEqual([]);
    },
  );

  it('row 36: leaves the site when the service no longer has it, and nothing else does', async () => {
    strike(({ id }) => id === '6', status(410));
    const { context, failure } = await load();
    expect(failure).toBeUndefined();
    expect(context.store.keys().toSorted()).toEqual(['1', '2', '3', '4', '5']);
    expect(service.count('article')).toBe(2);
  });

  it('row 36: is no reason to remove any when the service denies them all', async () => {
    for (const { id } of service.articles) service.change(id, { content: 'changed since' });
    strike('article', status(404));
    const before = await state();
    expect((await load()).failure).toMatchObject({ code: 'articles-missing' });
    expect(await state()).toEqual(before);
  });

  it('row 53: and is no article at all is a warning, and takes none from the site', async () => {
    strike('list', {
      kind: 'rewrite',
      rewrite: () => ({ count: 2, next: null, results: [null, service.articles[0]] }),
    });
    const { context, failure } = await load({ onInvalid: 'keep' });
    expect(failure).toBeUndefined();
    expect(context.store.keys()).toHaveLength(6);
    expect(warnings(context).join('\n')).toContain('(row 1 of the listing)');
    expect(warnings(context).join('\n')).toContain('Nothing was removed');
  });
});

describe('a load that ends well', () => {
  it('row 8: after an answer that broke off ends as if nothing had been', async () => {
    strike('any', { kind: 'cut' }, 1);
    const { context, failure } = await load({ retry: { limit: 1 } });
    expect(failure).toBeUndefined();
    const troubled = context.storeText();
    await rm(root, { recursive: true });
    expect((await load()).context.storeText()).toBe(troubled);
  });

  it('row 25: asks for the listing alone when nothing has changed, and changes nothing', async () => {
    await load();
    service.clearRequests();
    const before = await state();
    const { context } = await load();
    expect(service.requests.map(({ kind }) => kind)).toEqual(['list']);
    expect(await state()).toEqual(before);
    expect(context.lines.at(-1)?.message).toContain('0 added, 0 updated, 6 unchanged, 0 removed');
  });

  it('row 51: takes no key that reaches a prototype into the store', async () => {
    strike(
      'article',
      body(
        '{"id":6,"title":"t","content":"c","cover_image":null,"__proto__":{"slug":"x"},' +
          '"constructor":{"prototype":{"polluted":1}}}',
      ),
    );
    const { context } = await load();
    expect(entryOf(context, '6')?.data).toMatchObject({ title: 't', slug: 't-6' });
    expect(context.storeText()).not.toMatch(/__proto__|polluted/);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('row 55: drops fields that the schema does not name', async () => {
    service.change(6, { secret_note: 'for the editors only', title: 'Kept' });
    const { context } = await load();
    expect(entryOf(context, '6')?.data).toMatchObject({ title: 'Kept' });
    expect(context.storeText()).not.toContain('secret_note');
  });

  it('row 61: has removed everything only when it was told that this is right', async () => {
    service.replace([]);
    const { context, failure } = await load({ allowEmpty: true });
    expect(failure).toBeUndefined();
    expect(context.store.keys()).toEqual([]);
  });
});

describe('the key', () => {
  it('row 81: that cannot be one is refused before any request, and not repeated', async () => {
    const before = await state();
    for (const apiKey of ['two words', 'line\nbreak', 'schlüssel', '\u200bkey']) {
      const { failure } = await load({ apiKey });
      expect(failure).toMatchObject({ code: 'key-malformed' });
      expect(`${failure.message}${failure.hint}`).not.toContain(apiKey);
    }
    expect(service.count()).toBe(0);
    expect(await state()).toEqual(before);
  });

  it('row 82: is in no log line, error, file or entry, whatever goes wrong', async () => {
    const echo = JSON.stringify({ detail: `${key} ${encodeURIComponent(key)} ${btoa(key)}` });
    const said: string[] = [];
    for (const [, on, fault] of faults.slice(0, 12)) {
      undo.push(service.fail({ on, fault }));
      const { context, failure } = await load(impatience(fault));
      said.push(...context.lines.map(({ message }) => message), String(failure?.stack));
    }
    for (const code of [400, 401, 403, 404, 418, 500]) {
      undo.push(service.fail({ on: 'any', fault: { kind: 'status', status: code, body: echo } }));
      const { context, failure } = await load({ onUnavailable: 'keep' });
      said.push(...context.lines.map(({ message }) => message), String(failure?.stack));
    }
    const { context } = await load();
    said.push(context.storeText(), ...context.lines.map(({ message }) => message));
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      said.push(file.name, (await readFile(join(file.parentPath, file.name))).toString('latin1'));
    }
    expect(said.length).toBeGreaterThan(40);
    for (const form of [key, btoa(key), encodeURIComponent(key)]) {
      expect(said.filter((text) => text.includes(form))).toEqual([]);
    }
  });
});
