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
import { type Defect, defects } from './planted-defects.ts';

// node test/simulation/plant-defects.ts: plants one defect after the other in a copy of the package, and prints what
// finds it: a seed of the simulated world, or the test that it names. SEEDS: how many seeds are tried. A part of a name
// limits it to the defects with this part.

const maxSeeds = Number(process.env.SEEDS ?? 2_000);

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
