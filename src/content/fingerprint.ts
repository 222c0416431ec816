import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { AstroConfig } from 'astro';
import { messageOf } from '../errors.ts';
import { readEnvironment } from '../options/environment.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { hash } from '../shared/hash.ts';
import { nearest } from '../shared/nearest.ts';
import { version } from '../shared/version.ts';
import { environmentPlace, siteAt } from './site-state.ts';

export interface Fingerprint {
  /** A hash of all that shapes HTML, except the article. Where some of it is unknown, each process has its own. */
  rendering: string;
  /** Whether Astro runs with `--force`: renderings of earlier processes must not be used. */
  isForced: boolean;
  /** A hash of all that shapes entries, except the articles; undefined when all have to be parsed again. */
  entries: string | undefined;
  /** The hash and the name of each input, one a line. */
  inputs: string;
  /** Why entries or renderings of earlier processes cannot be used, as a clause. */
  reason: string | undefined;
}

type Folder = 'root' | 'publicDir' | 'outDir' | 'cacheDir';
type Config = Pick<AstroConfig, Folder | 'markdown' | 'image'>;
type Place = { mirrorFolder: string; isDev: boolean };
const maxFiles = 20_000;
const lockNames = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];
const renderers = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];
const uncounted =
  /^(node_modules|\..*)\/$|^\.env|\.(astro|mdx?|mdoc|markdown|css|s[ac]ss|less|styl|a?png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?)$/i;
const variable = /\b(?:process|import\.meta)\??\.env(?:[?!]?\.|[?!]?\.?\[\s*['"`])(\w+)/g;
/** Takes the place of a hash that no other process may have. */
const unknown = randomUUID();
/** Prints a value without an end. */
const whole = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };

/**
 * Returns the fingerprint of a site as it was at the first call of this process: Astro keeps the Markdown plugins of
 * its start, and Astro 6 adds to the settings when it renders. A dev server may evaluate an edited schema again at any
 * time, without notice, so its later loads parse everything.
 *
 * @param options those that shape the HTML of an article
 */
export function siteFingerprint(config: Config, options: object, place: Place): Fingerprint {
  const root = fileURLToPath(config.root);
  const site = siteAt(config.root);
  const isFirst = site.inputs === undefined;
  site.inputs ??= readSite(root, config, place);
  const { settings, files, problem } = site.inputs;
  const isForced = process.argv.includes('--force');
  const reason = isForced ? 'Astro runs with `--force`' : problem;
  const html = [
    `${hash(inspect([version, options], whole))} the options of rendering`,
    ...settings,
  ];
  const inputs = [...new Set([...html, ...files])].join('\n');
  return {
    rendering: hash(hasMarkdownPlugins(config.markdown) ? inputs : html.join('\n')),
    isForced,
    entries: reason || (place.isDev && !isFirst) ? undefined : hash(inputs),
    inputs,
    reason,
  };
}

/** Returns the name of the first input that differs, for a message. */
export function changedInput(before: string, now: string): string | undefined {
  const old = new Set(before.split('\n'));
  const changed = now.split('\n').find((line) => !old.delete(line)) ?? [...old][0];
  return changed?.slice(changed.indexOf(' ') + 1);
}

/** Returns the lines of what shapes each rendering, and of what may shape entries and Markdown plugins. */
function readSite(root: string, config: Config, place: Place) {
  const locks = lockNames.flatMap((name) => nearest(root, name) ?? []);
  const astro = realpathSync(nearest(root, 'node_modules/astro') ?? root);
  const versions = renderers.map((name) => nearest(astro, `node_modules/${name}/package.json`));
  const markdown = hash(inspect([config.markdown, config.image], whole));
  const settings = [
    `${markdown} the settings of Markdown`,
    ...[...locks, ...versions].flatMap((path) => (path ? lineOf(path, root) : [])),
  ];
  if (locks.length === 0) settings.push(`${unknown} the lock file`);
  try {
    const files = linesOf(findFiles(root, config, place.mirrorFolder), config.root, place.isDev);
    return { settings, files, problem: locks.length > 0 ? undefined : 'the site has no lock file' };
  } catch (error) {
    const problem = `the site's files of code and data are unknown: ${messageOf(error)}`;
    return { settings, files: [`${unknown} the list of the site's files`], problem };
  }
}

/** Returns the lines of files, and of the environment variables that they name. */
function linesOf(paths: string[], root: URL, isDev: boolean) {
  const place = environmentPlace(root);
  const names = new Set<string>();
  const lines = paths.map((path) => {
    const bytes = readFileSync(path);
    for (const [, name = ''] of bytes.toString('latin1').matchAll(variable)) names.add(name);
    return lineOf(path, fileURLToPath(root), bytes);
  });
  const environment = readEnvironment(place, '');
  const ofVite = { MODE: place.mode, DEV: isDev, PROD: isDev };
  // The variables of this package are options.
  for (const name of [...names].sort().filter((name) => !name.startsWith('ARTICLES_'))) {
    const values = JSON.stringify([name, environment[name], Reflect.get(ofVite, name)]);
    // So little of a hash does not identify a secret.
    lines.push(`${hash(values).slice(0, 8)} the environment variable \`${name}\``);
  }
  return lines;
}

/** Finds the files of code and data in a site's folder and in linked packages. */
function findFiles(root: string, config: Config, mirrorFolder: string): string[] {
  const { publicDir, outDir, cacheDir } = config;
  const folders = [publicDir, outDir, cacheDir].map((url) => fileURLToPath(url));
  const others = [...folders, mirrorFolder, ...ignoredByGit(root)];
  const visited = new Set(others.map((path) => resolve(root, path)));
  const files: string[] = [];
  const visit = (folder: string) => {
    visited.add(realpathSync(folder));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      const isFolder = stats?.isDirectory();
      if (visited.has(path) || uncounted.test(isFolder ? `${name}/` : name)) continue;
      if (isFolder && !visited.has(realpathSync(path))) visit(path);
      if (stats?.isFile()) files.push(path);
      if (files.length > maxFiles) throw new Error(`there are more than ${maxFiles}`);
    }
  };
  for (const folder of withLinkedPackages([root])) visit(folder);
  return files.sort();
}

/** Lists the paths that Git ignores in a folder; none where Git is missing or does not know the folder. */
function ignoredByGit(folder: string): string[] {
  const args = ['ls-files', '-oiz', '--exclude-standard', '--directory'];
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  return spawnSync('git', args, options).stdout?.split('\0') ?? [];
}

/** Adds the packages that those in a list depend on and that are not in node_modules: no lock file covers them. */
function withLinkedPackages(folders: string[]): string[] {
  for (const folder of folders) {
    const file = nearest(folder, 'package.json');
    const { dependencies, devDependencies } = JSON.parse(file ? readFileSync(file, 'utf8') : '{}');
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const path = nearest(folder, `node_modules/${name}`);
      const home = path && realpathSync(path);
      const isLinked = home && !home.includes('node_modules') && name !== 'astro-articles';
      if (isLinked && !folders.includes(home)) folders.push(home);
    }
  }
  return folders;
}

function lineOf(path: string, root: string, bytes = readFileSync(path)): string {
  return `${hash(bytes)} \`${relative(root, path).replaceAll(sep, '/').replaceAll('\n', ' ')}\``;
}
