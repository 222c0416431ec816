import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// node test/simulation/planted-defects.ts: plants one defect of the past after the other in a copy of the package, and
// prints after how many seeds the simulated world shows it.

const maxSeeds = Number(process.env.SEEDS ?? 2_000);

interface Defect {
  name: string;
  file: string;
  /** The code that is replaced, which the file has once, and the code with the defect. */
  code: string;
  defect: string;
}

const defects: Defect[] = [
  {
    name: 'the history of addresses is dropped when it cannot be fetched',
    file: 'redirects/site-history.ts',
    code: "if (mode === 'required' || !ArticlesError.is(error)) throw error;",
    defect: 'if (!ArticlesError.is(error)) throw error;',
  },
  {
    name: 'the published history replaces the one in the mirror',
    file: 'mirror/mirror.ts',
    code: 'joinHistories(onDisk.slugHistory, mirror.index.slugHistory, published)',
    defect: 'published',
  },
  {
    name: 'the mirror does not record the slugs that a build publishes',
    file: 'integration/former-slugs.ts',
    code: 'addSlugs(await mirror.addSlugs(published), shown)',
    defect: 'addSlugs(published, shown)',
  },
  {
    name: 'slugs of drafts and previews are published',
    file: 'integration/former-slugs.ts',
    code: 'new Map(isPreview ? [] : [...current].filter(isPublic))',
    defect: 'new Map(current)',
  },
  {
    name: '`transform` returns a date, which is kept as it is',
    file: 'client/article.ts',
    code: 'return { ...Object(toJsonValue(extra)) };',
    defect: 'toJsonValue(extra);\n    return extra;',
  },
  {
    name: 'a doubt about the listing is dropped',
    file: 'client/listing/survey.ts',
    code: 'doubt: doubt && !isComplete ? { ...doubt, listed: all.length } : undefined',
    defect: 'doubt: isComplete ? undefined : undefined',
  },
  {
    name: 'an article is removed without proof',
    file: 'client/listing/survey.ts',
    code: 'gone: unproven ? [] : missing,',
    defect: 'gone: missing,',
  },
  {
    name: 'an endpoint that always responds 404 removes articles',
    file: 'sync/removal.ts',
    code: 'const missing = canBeFound ? responded404 : new Set<string>();',
    defect: 'const missing = canBeFound ? responded404 : responded404;',
  },
  {
    name: 'a removed article stays while the listing keeps changing',
    file: 'sync/removal.ts',
    code: ': missing.has(id) || provenGone.has(id);',
    defect: ': provenGone.has(id);',
  },
  {
    name: 'the digest of the row is taken for that of the article',
    file: 'sync/prepare.ts',
    code: 'const digest = digestOf(article);',
    defect: 'const digest = row.digest ?? digestOf(article);',
  },
  {
    name: 'a file of another program is removed',
    file: 'mirror/image-folder.ts',
    code: '/^(?<hash>[0-9a-f]{32})',
    defect: '/^(?<hash>.+)',
  },
  {
    name: 'the index is written in place',
    file: 'mirror/files.ts',
    code: 'await renameWithRetries(temporary, path);',
    defect: 'writeFileSync(path, text);\n    await renameWithRetries(temporary, path);',
  },
  {
    name: 'a clean-up removes files that are in use',
    file: 'mirror/mirror.ts',
    code: 'articles.clean({ used: current.articles,',
    defect: 'articles.clean({ used: new Set(),',
  },
  {
    name: 'a change of a file that content.config imports does not arrive',
    file: 'content/schema-state.ts',
    code: 'hash([...texts, ...locks]',
    defect: 'hash([...texts.slice(0, 1), ...locks]',
  },
  {
    name: 'two projects share a mirror',
    file: 'mirror/location.ts',
    code: 'project === undefined ?',
    defect: 'project ?',
  },
  {
    name: 'the key follows a redirect to another origin',
    file: 'client/client.ts',
    code: "redirects: 'same-origin',",
    defect: "redirects: 'any-origin',",
  },
  {
    name: 'a reader gets a live load that began before a purge',
    file: 'live/shared-loads.ts',
    code: 'JSON.stringify([purgeCount(), load])',
    defect: 'JSON.stringify(load)',
  },
  {
    name: 'an article that leaves the newest ones loses its history',
    file: 'sync/removal.ts',
    code: 'if (newest === undefined) return undefined;',
    defect: 'if (newest !== 0) return undefined;',
  },
  {
    name: 'an article that a 304 proves to be current is requested in each load',
    file: 'sync/prepare.ts',
    code: 'article: provenBy(row, known)',
    defect: 'article: known',
  },
];

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the number of the first seed that fails; undefined when none does. */
function findDefect({ file, code, defect }: Defect): number | undefined {
  const copy = mkdtempSync(join(repository, 'test/.site-planted-'));
  try {
    for (const name of ['src', 'test/helpers', 'test/simulation', 'package.json']) {
      cpSync(join(repository, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, 'src', file);
    const parts = readFileSync(path, 'utf8').split(code);
    if (parts.length !== 2)
      throw new Error(`${file} has this code ${parts.length - 1} times: ${code}`);
    writeFileSync(path, parts.join(defect));
    const args = [join(copy, 'test/simulation/run.ts'), '1', String(maxSeeds)];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (process.env.VERBOSE) process.stdout.write(`${stdout}${stderr}\n`);
    const found = /^Seed (\d+) fails/m.exec(stdout)?.[1];
    if (found === undefined && !/without a failure/.test(stdout)) throw new Error(stdout + stderr);
    return found === undefined ? undefined : Number(found);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const [only = ''] = process.argv.slice(2);
for (const defect of defects.filter(({ name }) => name.includes(only))) {
  const seeds = findDefect(defect);
  process.stdout.write(`| ${defect.name} | ${seeds ?? `not within ${maxSeeds}`} |\n`);
}
