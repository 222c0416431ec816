import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { AstroConfig } from 'astro';
import { messageOf } from '../errors.ts';
import { readEnvironment } from '../options/resolve-options.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { hash } from '../shared/hash.ts';
import { version } from '../shared/version.ts';
import { environmentPlace, siteAt } from './site-state.ts';

type Place = { mirrorFolder: string; isDev: boolean };
export type Fingerprint = ReturnType<typeof siteFingerprint>;

const maxFiles = 20_000;
const lockNames = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];
const renderers = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];
const uncounted =
  /^(node_modules|\..*)\/$|^\.env|\.(astro|mdx?|mdoc|markdown|css|s[ac]ss|less|styl|a?png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?)$/i;
const variable = /\b(?:process|import\.meta)\??\.env(?:[?!]?\.|[?!]?\.?\[\s*['"`])(\w+)/g;

/** Whether Astro renders everything again, so that renderings of earlier processes must not be used. */
export const isForced = () => process.argv.includes('--force');

/**
 * Returns hashes of what shapes renderings and entries, except the articles, as it was at the first call of this process:
 * Astro keeps the Markdown plugins of its start, and Astro 6 adds to the settings when it renders. A dev server may
 * evaluate an edited schema again at any time, without notice, so its later loads parse everything.
 *
 * @param options those that shape the HTML of an article
 */
export function siteFingerprint(config: AstroConfig, options: object, place: Place) {
  const site = siteAt(config.root);
  const isFirst = !site.inputs;
  site.inputs ??= readSite(config, place);
  const { settings, files, problem } = site.inputs;
  const html = [lineOf('the options of rendering', [version, options]), ...settings];
  /** The hash and the name of each input, one a line. */
  const inputs = [...new Set([...html, ...files])].join('\n');
  /** Why entries or renderings of earlier processes cannot be used, as a clause. */
  const reason = isForced() ? 'Astro runs with `--force`' : problem;
  const rendering = hash(hasMarkdownPlugins(config.markdown) ? inputs : html.join('\n'));
  // Without a hash, all entries are parsed again.
  const entries = reason || (place.isDev && !isFirst) ? undefined : hash(inputs);
  return { rendering, entries, inputs, reason };
}

/** Returns the lines of what shapes each rendering, and of what may shape entries and Markdown plugins. */
function readSite(config: AstroConfig, { mirrorFolder, isDev }: Place) {
  const root = fileURLToPath(config.root);
  const astro = realpathSync(nearest(root, 'node_modules/astro') ?? root);
  const versions = renderers.map((name) => nearest(astro, `node_modules/${name}/package.json`));
  const locks = lockNames.flatMap((name) => nearest(root, name) ?? []);
  const names = new Set<string>();
  const read = (path: string) => {
    const bytes = readFileSync(path);
    for (const [, name = ''] of bytes.toString('latin1').matchAll(variable)) names.add(name);
    return `${hash(bytes)} \`${relative(root, path).replaceAll(sep, '/').replaceAll('\n', ' ')}\``;
  };
  const settings = [
    lineOf('the settings of Markdown', [config.markdown, config.image]),
    // Where something is unknown, no other process may have the same line.
    ...(locks.length > 0 ? locks.map(read) : [lineOf('the lock file', randomUUID())]),
    ...versions.flatMap((path) => (path ? read(path) : [])),
  ];
  let problem = locks.length > 0 ? undefined : 'the site has no lock file';
  try {
    const files = findFiles(root, config, mirrorFolder).map(read);
    const place = environmentPlace(config.root);
    const ofVite = { MODE: place.mode, DEV: isDev, PROD: isDev };
    const environment = readEnvironment(place, '');
    // The variables of this package are options.
    for (const name of [...names].sort().filter((each) => !each.startsWith('ARTICLES_'))) {
      const values = [name, environment[name], Reflect.get(ofVite, name)];
      // So little of a hash does not identify a secret.
      files.push(lineOf(`the environment variable \`${name}\``, values, 8));
    }
    return { settings, files, problem };
  } catch (error) {
    problem = `the site's files of code and data are unknown: ${messageOf(error)}`;
    return { settings, files: [lineOf("the list of the site's files", randomUUID())], problem };
  }
}

/** Finds the files of code and data in a site's folder, and in linked packages, which no lock file covers. */
function findFiles(root: string, config: AstroConfig, mirrorFolder: string): string[] {
  const { publicDir, outDir, cacheDir } = config;
  const others = [publicDir, outDir, cacheDir].map((url) => fileURLToPath(url));
  const args = ['ls-files', '-oiz', '--exclude-standard', '--directory'];
  const git = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  // Git may be missing, or not know the folder.
  const ignored = git.stdout?.split('\0') ?? [];
  const visited = new Set([...others, mirrorFolder, ...ignored].map((path) => resolve(root, path)));
  const folders = withLinkedPackages(root);
  const files: string[] = [];
  for (const folder of folders) {
    visited.add(realpathSync(folder));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      const isFolder = stats?.isDirectory();
      if (visited.has(path) || uncounted.test(isFolder ? `${name}/` : name)) continue;
      const real = isFolder && realpathSync(path);
      if (real && !visited.has(real)) folders.add(path);
      if (real) visited.add(real);
      if (stats?.isFile()) files.push(path);
      if (files.length > maxFiles) throw new Error(`there are more than ${maxFiles}`);
    }
  }
  return files.sort();
}

/** Returns a folder, and the packages that it depends on, also through one another, and that are not in node_modules. */
function withLinkedPackages(root: string): Set<string> {
  const folders = new Set([root]);
  for (const folder of folders) {
    const file = nearest(folder, 'package.json');
    const { dependencies, devDependencies } = JSON.parse(file ? readFileSync(file, 'utf8') : '{}');
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const path = nearest(folder, `node_modules/${name}`);
      const home = path && realpathSync(path);
      const isLinked = home && !home.includes('node_modules') && name !== 'astro-articles';
      if (isLinked) folders.add(home);
    }
  }
  return folders;
}

/** Returns the hash of a value, which is printed to its end, and a name for it. */
function lineOf(name: string, value: unknown, length = 32): string {
  const whole = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
  return `${hash(inspect(value, whole)).slice(0, length)} ${name}`;
}

/** Returns the name of the first input of a fingerprint that differs. */
export function changedInput(before: string, now: string): string | undefined {
  const old = new Set(before.split('\n'));
  const changed = now.split('\n').find((line) => !old.delete(line)) ?? [...old][0];
  return changed?.slice(changed.indexOf(' ') + 1);
}

/** Finds a path in a folder, or in the nearest folder above that has it. */
export function nearest(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : nearest(dirname(folder), name);
}
