import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

// node test/simulation/planted-defects.ts: plants one defect after the other in a copy of the package, and prints what
// finds it: a seed of the simulated world, or the test that it names. SEEDS: how many seeds are tried. A part of a name
// limits it to the defects with this part.

const maxSeeds = Number(process.env.SEEDS ?? 2_000);

interface Defect {
  name: string;
  /** The code that is replaced, which one module has once, and the code with the defect. */
  code: string;
  defect: string;
  /** The test that finds a defect which the simulated world cannot show. It runs in place of the seeds. */
  test?: string;
}

const defects: Defect[] = [
  {
    name: 'the rows of the last page are not passed on',
    code: '    onRows?.(fresh);\n',
    defect: '    if (!isEnd(last)) onRows?.(fresh);\n',
  },
  {
    name: 'the history of addresses is dropped when it cannot be fetched',
    code: "if (!isBestEffort) throw new ArticlesError('history-unavailable', message, { hint });",
    defect: '',
  },
  {
    name: 'the published history replaces the one in the mirror',
    code: 'joinAddresses(mirror.addresses, published)',
    defect: 'published',
  },
  {
    name: 'addresses are joined in the wrong direction',
    code: 'Math.max(serial, all.get(slug) ?? 0)',
    defect: 'Math.min(serial, all.get(slug) ?? serial)',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'a commit forgets the addresses of another process',
    code: 'new Map(joinAddresses(onDisk, added))',
    defect: 'new Map(added)',
    test: 'test/unit/mirror/addresses.test.ts',
  },
  {
    name: 'the mirror does not record the slugs that a build publishes',
    code: 'mirror.writeAddresses(all);',
    defect: '',
  },
  {
    name: 'slugs of previews are published',
    code: 'isPreview ? addresses : takeUp(addresses, shown)',
    defect: 'takeUp(addresses, shown)',
  },
  {
    name: '`transform` returns a date, which is kept as it is',
    code: 'article.extra = { ...Object(toJsonValue(others)) };',
    defect: 'toJsonValue(others);\n    article.extra = others;',
  },
  {
    name: 'a doubt about the listing is dropped',
    code: 'incomplete,\n    isFull',
    defect: 'incomplete: undefined,\n    isFull',
    test: 'test/load/unlisted.test.ts',
  },
  {
    name: 'an article is removed without proof',
    code: 'again?.isComplete && !again.ids.has(id)',
    defect: '!again?.ids.has(id)',
    test: 'test/unit/sync/fate.test.ts',
  },
  {
    name: 'an endpoint that always responds 404 removes articles',
    code: 'missing: canBeFound ? missing : new Set()',
    defect: 'missing',
  },
  {
    name: 'an article that cannot be read counts as gone',
    code: 'await addProblems(error, row.id);',
    defect: 'missing.add(row.id);',
    test: 'test/load/slugs.test.ts',
  },
  {
    name: 'a removed article stays while the listing keeps changing',
    code: 'const isUnlisted = !listed.has(id)',
    defect: 'const isUnlisted = (isComplete && !listed.has(id))',
    test: 'test/unit/sync/fate.test.ts',
  },
  {
    name: 'an unchanged article is requested in each load',
    code: '...(row.record === record && { rowIsWhole: true as const }),',
    defect: '',
  },
  {
    name: 'a file of another program is removed',
    code: 'outdated.has(name) && !used.has(name)',
    defect: '!used.has(name)',
  },
  {
    name: 'the index is written in place',
    code: 'renameSync(temporary, path);\n        return;',
    defect: 'writeFileSync(path, content);\n        return;',
  },
  {
    name: 'a clean-up removes files that are in use',
    code: 'new Set(filesOf(mirror.index))',
    defect: 'new Set()',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'an article that leaves the newest ones loses its history',
    code: "isFull) fates.set(id, { is: 'older' })",
    defect: "isFull) fates.set(id, { is: 'gone' })",
  },
  {
    name: 'a window that is one row short counts as full',
    code: '&& length >= newest,',
    defect: '&& length >= newest - 1,',
  },
  {
    name: 'the key follows a redirect to another origin',
    code: "redirects: 'same-origin',\n    retry",
    defect: "redirects: 'any-origin',\n    retry",
  },
  {
    name: 'a purge does not reach the live page of the article',
    code: 'cacheTags(collection, id)[1]',
    defect: "cacheTags('other', id)[1]",
  },
  {
    name: 'a corrupt record stays known',
    code: 'pack.isCorrupt = pack.records.delete(name)',
    defect: 'pack.isCorrupt = true',
  },
  {
    name: 'equal serials lead to the last article by id',
    code: 'compareText(id, other.id)',
    defect: 'compareText(other.id, id)',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'addresses are sorted by the locale of the machine',
    code: 'return Buffer.compare(Buffer.from(a), Buffer.from(b));',
    defect: 'return a.localeCompare(b);',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'the images of an index are sorted by the locale of the machine',
    code: '(a.url < b.url ? -1 : 1)',
    defect: 'a.url.localeCompare(b.url)',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'the slug of a page leads to the article that had it before',
    code: 'own !== undefined && !former.has(slug)',
    defect: 'own !== undefined',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'an article without a page takes the former slug of another one',
    code: 'return formerSlugs(all, shown);',
    defect: 'return formerSlugs(all, current);',
    test: 'test/unit/integration/former-slugs.test.ts',
  },
  {
    name: 'the slug of an article without a page becomes public',
    code: 'filter(([, slug]) => segments.has(slug))',
    defect: 'slice()',
    test: 'test/unit/integration/former-slugs.test.ts',
  },
  {
    name: 'a redirect takes the path of a page on demand',
    code: '!routes.some((route) => ownsPath(route, redirect))',
    defect: 'true',
    test: 'test/unit/redirects/write-redirects.test.ts',
  },
  {
    name: 'an article replaces a page on demand',
    code: "type !== 'redirect' && params.length === 0 && !isPrerendered",
    defect: 'params.length < 0',
    test: 'test/unit/integration/site-checks.test.ts',
  },
  {
    name: 'the URL of a page does not follow `trailingSlash`',
    code: "path.replace(/\\/*$/, hasSlash ? '/' : '')",
    defect: 'path',
    test: 'test/unit/shared/page-values.test.ts',
  },
  {
    name: 'a slug that is taken up again has no higher serial',
    code: 'highest + 1',
    defect: 'Math.max(1, highest)',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'a published history that was cut counts as whole',
    code: 'if (file?.isWhole) return file;',
    defect: 'if (file) return file;',
    test: 'test/unit/redirects/published.test.ts',
  },
  {
    name: 'an article that is gone keeps its line in the mirror',
    code: 'filter((id) => !addresses.has(id))',
    defect: 'slice(0, 0)',
  },
  {
    name: 'a clean-up leaves an index without packs that another process removed',
    code: 'packs.restore(isCurrent() ? mirror.index.packs :',
    defect: 'packs.restore(isCurrent() ? [] :',
    test: 'test/unit/mirror/stories.test.ts',
  },
  {
    name: 'a clean-up leaves the index of another process without packs',
    code: 'mirror.index.packs : readIndex(indexFile, source).index.packs',
    defect: 'mirror.index.packs : []',
    test: 'test/unit/mirror/stories.test.ts',
  },
  {
    name: 'a clean-up removes the packs of a commit that another process begins',
    code: 'packs.packs.has(name) && !mirror',
    defect: "name.endsWith('.pack') && !mirror",
    test: 'test/unit/mirror/stories.test.ts',
  },
  {
    name: 'a clean-up removes what the index of another process names',
    code: 'if (!isCurrent()) return;',
    defect: '',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'a load opens the packs of another index than the one that it has read',
    code: 'isComplete || tries === maxTries',
    defect: 'isComplete || tries > 0',
    test: 'test/unit/mirror/stories.test.ts',
  },
  {
    name: 'a commit names packs that another process has removed',
    code: 'packs.restore(names);',
    defect: '',
    test: 'test/unit/mirror/stories.test.ts',
  },
  {
    name: 'images that another build imports are removed',
    code: 'new Set(replaced.formerImages)',
    defect: 'new Set([...replaced.formerImages, ...filesOf(replaced)])',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'a rendering is used again under other settings',
    code: '{ record }: IndexedArticle, { fingerprint }: Renderer',
    defect: '{ record }: IndexedArticle, fingerprint: Renderer',
    test: 'test/load/cost.test.ts',
  },
  {
    name: 'the options of rendering shape no rendering',
    code: '[version, options]',
    defect: '[version]',
    test: 'test/unit/content/fingerprint.test.ts',
  },
  {
    name: 'a change of `links` renders nothing again',
    code: '{ sanitize, links, body: images.body,',
    defect: '{ sanitize, body: images.body,',
    test: 'test/load/cost.test.ts',
  },
  {
    name: 'the rendering of Markdown is used as that of HTML',
    code: 'images.body, baseUrl, format }',
    defect: 'images.body, baseUrl }',
    test: 'test/load/html.test.ts',
  },
  {
    name: 'a change of `bodies` does not reach unchanged entries',
    code: 'packageVersion, options.bodies, filePath',
    defect: 'packageVersion, filePath',
  },
  {
    name: 'a new file of an image does not reach its entry',
    code: 'contentHash, cover, bodyFiles]',
    defect: 'contentHash, cover]',
  },
  {
    name: 'a cover that `transform` sets is downloaded in each load',
    code: '[...transformed, ...articles].flatMap',
    defect: 'articles.flatMap',
    test: 'test/load/cost.test.ts',
  },
  {
    name: 'an entry keeps its former rendering',
    code: 'filePath, contentHash, cover',
    defect: 'filePath, cover',
    test: 'test/load/changes.test.ts',
  },
  {
    name: 'the digest does not include what a schema returns',
    code: 'hash(text).slice(0, 16)',
    defect: "hash('').slice(0, 16)",
  },
  {
    name: 'a change of a file that content.config imports does not arrive',
    code: '...ofHtml, ...code]',
    defect: '...ofHtml]',
    test: 'test/load/cost.test.ts',
  },
  {
    name: 'a dev server keeps entries of an edited schema',
    code: '!watcher && meta.get',
    defect: 'meta.get',
    test: 'test/load/cost.test.ts',
  },
  {
    name: 'an entry that is not parsed again keeps its position',
    code: ' && place === String(position)',
    defect: '',
    test: 'test/load/cost.test.ts',
  },
  {
    name: 'an entry keeps its position',
    code: '16), position]',
    defect: '16), 1]',
  },
  {
    name: 'an article that is listed twice hides another one',
    code: 'if (repeated.size > 0)',
    defect: 'if (repeated.size > 1)',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'an article that is listed twice in a row hides another one',
    code: 'else if (earlier !== position) repeated',
    defect: 'else if (Math.abs(earlier - position) > 1) repeated',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'a walk that lists fewer articles than the one before agrees with it',
    code: 'isSettled = previous.size === last.ids.length && last',
    defect: 'isSettled = last',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'rows that move between pages do not make the listing doubtful',
    code: 'if (idAt[position] !== id) hasMoved = true;',
    defect: '',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'a listing of a cache proves that an article is gone',
    code: "if (last.isFromCache) incomplete = 'it came from a cache';",
    defect: '',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'a listing with a page of a cache proves that an article is gone',
    code: 'isFromCache ||= age > 0;',
    defect: 'isFromCache = age > 0;',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'rows without an id prove that an article is gone',
    code: 'if (problems.length > 0) incomplete',
    defect: 'if (problems.length > 1e9) incomplete',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'what an earlier walk listed is lost',
    code: 'isSettled && !doubt ? last.ids : all',
    defect: 'last.ids',
    test: 'test/unit/client/walk.test.ts',
  },
  {
    name: 'a window of the newest is read to the end of the listing',
    code: 'if (end >= limit) return true;',
    defect: '',
    test: 'test/load/newest.test.ts',
  },
  {
    name: 'articles that leave a window are requested',
    code: 'if (listing.isFull && load.mirror.isSameKey) return [];',
    defect: '',
    test: 'test/load/newest.test.ts',
  },
  {
    name: 'articles that leave a window are a mass removal',
    code: ".filter((id) => fates.get(id)?.is !== 'older')",
    defect: '',
    test: 'test/load/newest.test.ts',
  },
  {
    name: 'drafts that a preview has shown are a mass removal',
    code: "slug !== undefined && !(draft && options.drafts === 'skip') ? id",
    defect: 'slug !== undefined ? id',
    test: 'test/load/absence.test.ts',
  },
  {
    name: 'positions forget the articles outside of a smaller window',
    code: 'older: older + surplus',
    defect: 'older',
    test: 'test/load/newest.test.ts',
  },
  {
    name: 'a cache may respond with the listing',
    code: 'fresh: true',
    defect: 'fresh: false',
    test: 'test/load/unlisted.test.ts',
  },
  {
    name: 'the second reading has the URLs of the first one',
    code: 'earlierSize: listing.pageSize',
    defect: '',
    test: 'test/load/unlisted.test.ts',
  },
  {
    name: 'the second reading follows at once',
    code: 'await sleep(systemClock, wait, call.signal);',
    defect: '',
    test: 'test/load/unlisted.test.ts',
  },
  {
    name: 'an incomplete reading and a complete one prove an absence',
    code: 'isComplete && again?.isComplete',
    defect: 'again?.isComplete',
    test: 'test/unit/sync/fate.test.ts',
  },
  {
    name: 'an article that the listing lacks loses the fields of its row',
    code: 'extra: Object.fromEntries(fields)',
    defect: 'extra: {}',
    test: 'test/load/unlisted.test.ts',
  },
  {
    name: 'a change of a field that only the row has does not arrive',
    code: 'known.row === hashOfRow(row) ? current : withRow(current, row, load)',
    defect: 'current',
  },
  {
    name: 'the fields of the row are not stored',
    code: 'const { rowFields, ...article } = withRowFields(fetched, row);',
    defect: 'const { rowFields, ...article } = { ...fetched, rowFields: [] };',
    test: 'test/load/mirror-files.test.ts',
  },
  {
    name: 'a field that a row has lost stays',
    code: '.filter(([name]) => !former?.includes(name))',
    defect: '.slice()',
  },
  {
    name: 'with whole rows, fields get lost while the listing lacks an article',
    code: "load.options.rows === 'whole' || rowFields",
    defect: 'rowFields',
    test: 'test/load/unlisted.test.ts',
  },
  {
    name: 'two collections with similar names have one mirror',
    code: 'collection}`).slice(0, 12)',
    defect: 'source}`).slice(0, 12)',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'a collection has the addresses of others',
    code: 'filter(([id]) => id.startsWith(prefix))',
    defect: 'slice()',
    test: 'test/unit/redirects/published.test.ts',
  },
  {
    name: 'of two collections with one slug, one loses its redirects',
    code: 'joinAddresses(...former)',
    defect: 'new Map(former.flatMap((each) => [...each]))',
    test: 'test/unit/integration/former-slugs.test.ts',
  },
  {
    name: 'a slash in the name of a collection is that of an id',
    code: 'encodeURIComponent(collection)}/',
    defect: 'collection}/',
    test: 'test/unit/redirects/published.test.ts',
  },
  {
    name: 'an index that Git has merged is used',
    code: " && file.hash === hash(JSON.stringify(file.index) ?? '')",
    defect: '',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'of two lines of an article, one is lost',
    code: 'joinAddresses(articles)',
    defect: 'new Map(articles)',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'the marks of a conflict are spoilt lines',
    code: '|<{7}|={7}|>{7}|\\|{7})',
    defect: ')',
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'the first line with a line end of Windows is a spoilt one',
    code: "text.split('\\n').map((line) => line.trim())",
    defect: "text.split('\\n')",
    test: 'test/unit/redirects/history.test.ts',
  },
  {
    name: 'a build renders again what a preview has rendered',
    code: '.slice(0, 2)',
    defect: '.slice(0, 1)',
    test: 'test/load/changes.test.ts',
  },
  {
    name: 'a missing record is taken for a current version',
    code: 'stored && mirror.has(stored.record) ? stored : undefined',
    defect: 'stored',
    test: 'test/load/mirror-files.test.ts',
  },
  {
    name: 'an unreadable record fails its article',
    code: 'row && (await fetchVersion(row, load))',
    defect: 'row && undefined',
    test: 'test/load/mirror-files.test.ts',
  },
  {
    name: 'a pack keeps its corrupt record',
    code: 'each.pack.isCorrupt || ',
    defect: '',
    test: 'test/unit/mirror/pack-folder.test.ts',
  },
  {
    name: 'a changed record is read',
    code: 'name.endsWith(hash(bytes))',
    defect: 'bytes.length > 0',
    test: 'test/unit/mirror/pack-folder.test.ts',
  },
  {
    name: 'a new signature is a change',
    code: "unsigned(row.cover ?? '') === unsigned(cover ?? '')",
    defect: 'row.cover === cover',
    test: 'test/unit/sync/rows.test.ts',
  },
  {
    name: 'a cover keeps its first signature',
    code: 'cover === undefined ? known : { ...known, cover }',
    defect: 'known',
    test: 'test/load/changes.test.ts',
  },
  {
    name: 'a cover is downloaded with a signature that has expired',
    code: 'return before.get(version.article.id)?.cover === cover;',
    defect: 'return false;',
    test: 'test/load/summaries.test.ts',
  },
  {
    name: 'each signature gives another record',
    code: 'cover && unsigned(cover)',
    defect: 'cover',
    test: 'test/load/changes.test.ts',
  },
  {
    name: 'a page loses its slug to a newer article',
    code: '.toSorted((a, b) => rankOf(a) - rankOf(b))',
    defect: '',
    test: 'test/load/slugs.test.ts',
  },
  {
    name: 'slugs that differ in case share a page',
    code: 'if (owners.has(pathKey(slug)))',
    defect: 'if (owners.has(slug))',
    test: 'test/load/slugs.test.ts',
  },
  {
    name: 'without a mirror, the published owner of a slug loses it',
    code: 'owners.get(ownSlug)?.id ?? ',
    defect: '',
    test: 'test/load/slugs.test.ts',
  },
  {
    name: 'an earlier version takes the slug of another article',
    code: 'isFree ? ownSlug :',
    defect: 'ownSlug ??',
    test: 'test/load/slugs.test.ts',
  },
  {
    name: 'the histories of another project are kept',
    code: 'before: new Map(), addresses: new Map() }',
    defect: 'before: new Map() }',
    test: 'test/load/slugs.test.ts',
  },
  {
    name: 'the mirror of another key is used',
    code: 'index.key === undefined || index.key === key',
    defect: 'true',
    test: 'test/unit/mirror/mirror.test.ts',
  },
  {
    name: 'an abort does not reach a request',
    code: 'const forward = () => abort.abort(signal?.reason);',
    defect: 'const forward = () => undefined;',
    test: 'test/load/faults/waits.test.ts',
  },
  {
    name: 'a load that fails leaves its requests open',
    code: 'abort.abort(error);\n    throw error;',
    defect: 'throw error;',
    test: 'test/load/faults/waits.test.ts',
  },
  {
    name: 'an article is not requested again after its request has failed',
    code: '(isKnown(id) || earlier.has(id))',
    defect: '(isKnown(id) || earlier.has(id) || true)',
    test: 'test/load/slugs.test.ts',
  },
];

const repository = fileURLToPath(new URL('../..', import.meta.url));
const copied = ['src', 'fixtures', 'package.json', 'vitest.config.ts', 'tsconfig.json'];
const copiedTests = ['helpers', 'simulation', 'unit', 'load'].map((name) => `test/${name}`);

/** Tests that pass in a copy without a defect. */
const passing = new Set<string>();

/** Returns what finds a defect; undefined when nothing does. */
function findDefect({ code, defect, test }: Defect): string | undefined {
  const copy = mkdtempSync(join(repository, 'test/.site-planted-'));
  try {
    for (const name of [...copied, ...copiedTests]) {
      cpSync(join(repository, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
    if (test && !passing.has(test) && runTest(copy, test))
      throw new Error(`${test} fails without it`);
    if (test) passing.add(test);
    plant(join(copy, 'src'), code, defect);
    if (test) return runTest(copy, test) ? test : undefined;
    const seed = firstFailingSeed(copy);
    return seed && `seed ${seed}`;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function plant(folder: string, code: string, defect: string): void {
  const paths = globSync('**/*.ts', { cwd: folder }).map((name) => join(folder, name));
  const parts = paths.flatMap((path) => {
    const pieces = readFileSync(path, 'utf8').split(code);
    return pieces.length > 1 ? [{ path, pieces }] : [];
  });
  const [found] = parts;
  if (parts.length !== 1 || found?.pieces.length !== 2) throw new Error(`not once in src: ${code}`);
  writeFileSync(found.path, found.pieces.join(defect));
}

/** Named tests try more cases than in CI, where some defects would be missed. */
const env = { ...process.env, TEST_SCALE: '5' };

function runNode(cwd: string, args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  if (process.env.VERBOSE) process.stdout.write(`${stdout}${stderr}\n`);
  return stdout + stderr;
}

/** Returns whether a test fails in a copy of the package. */
function runTest(copy: string, test: string): boolean {
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  const [, project = ''] = test.split('/');
  const printed = runNode(copy, [vitest, 'run', '--bail=1', '--project', project, test]);
  if (!/ Tests .*(?:passed|failed)/.test(stripVTControlCharacters(printed)))
    throw new Error(printed);
  return / Tests .*failed/.test(stripVTControlCharacters(printed));
}

function firstFailingSeed(copy: string): string | undefined {
  const run = join(copy, 'test/simulation/run.ts');
  const printed = runNode(copy, [run, '--seed', '1', '--count', String(maxSeeds)]);
  const found = /^Seed (\d+) fails/m.exec(printed)?.[1];
  if (found === undefined && !/without a failure/.test(printed)) throw new Error(printed);
  return found;
}

const [only = ''] = process.argv.slice(2);
process.stdout.write('| defect | found by |\n|---|---|\n');
for (const defect of defects.filter(({ name }) => name.includes(only))) {
  const found = findDefect(defect) ?? `nothing${defect.test ? '' : `, in ${maxSeeds} seeds`}`;
  process.stdout.write(`| ${defect.name} | ${found} |\n`);
}
