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
    file: 'redirects/published.ts',
    code: 'if (!isBestEffort) throw failure;',
    defect: '',
  },
  {
    name: 'the published history replaces the one in the mirror',
    file: 'content/open-load.ts',
    code: 'joinAddresses(mirror.addresses, published)',
    defect: 'published',
  },
  {
    name: 'addresses are joined in the wrong direction',
    file: 'redirects/history.ts',
    code: 'Math.max(serial, all.get(slug) ?? 0)',
    defect: 'Math.min(serial, all.get(slug) ?? serial)',
  },
  {
    name: 'a commit forgets the addresses of another process',
    file: 'mirror/mirror.ts',
    code: 'new Map(joinAddresses(onDisk, added))',
    defect: 'new Map(added)',
  },
  {
    name: 'the mirror does not record the slugs that a build publishes',
    file: 'integration/former-slugs.ts',
    code: 'history.get(collection) ?? new Map()',
    defect: 'new Map()',
  },
  {
    name: 'slugs of previews are published',
    file: 'integration/former-slugs.ts',
    code: 'isPreview ? addresses : takeUp(addresses, shown)',
    defect: 'takeUp(addresses, shown)',
  },
  {
    name: '`transform` returns a date, which is kept as it is',
    file: 'client/article.ts',
    code: 'return { ...Object(toJsonValue(extra)) };',
    defect: 'toJsonValue(extra);\n    return extra;',
  },
  {
    name: 'a doubt about the listing is dropped',
    file: 'sync/list.ts',
    code: 'incomplete: reading.incomplete,',
    defect: 'incomplete: undefined,',
  },
  {
    name: 'an article is removed without proof',
    file: 'sync/fate.ts',
    code: 'again?.isComplete && !again.ids.has(id)',
    defect: '!again?.ids.has(id)',
  },
  {
    name: 'an endpoint that always responds 404 removes articles',
    file: 'sync/fate.ts',
    code: 'return canBeFound && missing.has(id);',
    defect: 'return missing.has(id) || (canBeFound && false);',
  },
  {
    name: 'an article that cannot be read counts as gone',
    file: 'sync/fetch.ts',
    code: 'await addProblems(error, row.id);',
    defect: 'missing.add(row.id);',
  },
  {
    name: 'a removed article stays while the listing keeps changing',
    file: 'sync/fate.ts',
    code: 'const isUnlisted = !listed.has(id)',
    defect: 'const isUnlisted = (isComplete && !listed.has(id))',
  },
  {
    name: 'the digest of the row is taken for that of the article',
    file: 'sync/version.ts',
    code: 'const digest = digestOf(article);',
    defect: 'const digest = row.digest ?? digestOf(article);',
  },
  {
    name: 'an unchanged article is requested in each load',
    file: 'sync/version.ts',
    code: '...(row.digest === digest && { rowIsWhole: true as const }),',
    defect: '',
  },
  {
    name: 'a file of another program is removed',
    file: 'mirror/mirror.ts',
    code: 'imageFile.test(name) && !used.has(name)',
    defect: '!used.has(name)',
  },
  {
    name: 'the index is written in place',
    file: 'mirror/files.ts',
    code: 'renameSync(temporary, path);\n        return;',
    defect: 'writeFileSync(path, content);\n        return;',
  },
  {
    name: 'a clean-up removes files that are in use',
    file: 'mirror/mirror.ts',
    code: 'new Set(images.map(({ file }) => file))',
    defect: 'new Set()',
  },
  {
    name: 'a change of a file that content.config imports does not arrive',
    file: 'content/fingerprint.ts',
    code: '? undefined : hash(inputs)',
    defect: '? undefined : hash(settings.join())',
  },
  {
    name: 'an article that leaves the newest ones loses its history',
    file: 'sync/fate.ts',
    code: "isFull) fates.set(id, { is: 'older' })",
    defect: "isFull) fates.set(id, { is: 'gone' })",
  },
  {
    name: 'a window that is one row short counts as full',
    file: 'sync/list.ts',
    code: 'reading.length >= newest,',
    defect: 'reading.length >= newest - 1,',
  },
  {
    name: 'the key follows a redirect to another origin',
    file: 'client/client.ts',
    code: "redirects: 'same-origin',",
    defect: "redirects: 'any-origin',",
  },
  {
    name: 'a purge does not reach the live page of the article',
    file: 'webhook/purge.ts',
    code: '(await cacheTags(collection, id)).slice(1)',
    defect: '(await cacheTags(collection, id)).slice(2)',
  },
  {
    name: 'a corrupt record stays known',
    file: 'mirror/pack.ts',
    code: 'pack.isCorrupt = pack.records.delete(name)',
    defect: 'pack.isCorrupt = true',
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
    const run = join(copy, 'test/simulation/run.ts');
    const args = [run, '--seed', '1', '--count', String(maxSeeds)];
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
