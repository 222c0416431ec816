import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import type { AstroConfig } from 'astro';
import { messageOf } from '../errors.ts';
import { readEnvironment } from '../options/resolve-options.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { hash } from '../shared/hash.ts';
import { version } from '../shared/version.ts';
import { astroFolder, nearest } from './installed-packages.ts';
import { environmentPlace, siteAt } from './site-state.ts';

export type Fingerprint = Awaited<ReturnType<typeof siteFingerprint>>;

const maxFiles = 20_000;
const lockNames =
  'npm-shrinkwrap.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb'.split(' ');
const renderers = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];
// The last form of a folder is that of the mirrors, which collections may have in folders of their own.
const uncounted =
  /^(node_modules|\..*|.*-[0-9a-f]{12})\/$|^\.env|\.(astro|mdx?|mdoc|markdown|css|s[ac]ss|less|styl|a?png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|mov|webm|og[gv]|wav|flac|woff2?|[ot]tf|pdf|log)$/i;
// The variables of this package are options, NODE_ENV counts with the mode, and `_` is the last command of a shell.
const uncountedVariable =
  /^(?:ARTICLES_(?:BASE_URL|API_KEY|OFFLINE|ALLOW_REMOVAL|REFRESH_SECRET|REDIRECTS|DEBUG)|NODE_ENV|_)$/;
// As in `process.env`, `astro:env/server`, `{ env }`, `(env) =>` and `loadEnv()`.
const readsVariables = /[.:{,(]\s*env\b|Env\(/;

/**
 * Returns hashes of what shapes renderings and entries, except the articles. Renderings use the code of the first call of
 * this process, because Astro keeps the Markdown plugins of its start. The settings are read once for each config, because
 * Astro 6 adds to them when it renders.
 *
 * @param options those that shape the HTML of an article
 * @param how `readsAgain`: whether to read the site's code again, with a config that was read before. `isPublic`: whether
 *   the mirror may be in a repository. Its readers could try which values give its hashes, so the values of environment
 *   variables count only for `entries`, which is in Astro's cache.
 */
export async function siteFingerprint(
  config: AstroConfig,
  options: object,
  { readsAgain = false, isPublic = false } = {},
) {
  const site = siteAt(config.root);
  if (readsAgain || !site.ignored) site.ignored = ignoredIn(config.root);
  const ignored = await site.ignored;
  site.inputs ??= { config, ...readSite(config, ignored) };
  const now = site.inputs.config === config ? site.inputs : readSite(config, ignored);
  const { code, variables } = readsAgain ? readSite(config, ignored) : now;
  const ofOptions = lineOf('the options of rendering', [version, options]);
  const ofHtml = [ofOptions, ...(isPublic ? now.publicSettings : now.settings)];
  const hasPlugins = hasMarkdownPlugins(config.markdown);
  const ofPlugins = [...now.run, ...site.inputs.code, ...(isPublic ? [] : site.inputs.variables)];
  /** The hash and the name of each input of renderings, one a line. The site's code may contain Markdown plugins. */
  const inputs = [...new Set([...ofHtml, ...(hasPlugins ? ofPlugins : [])])].join('\n');
  // Flags such as `--mode`, which only the integration reads, and `--devOutput` change `import.meta.env`.
  const ofEntries = [...now.run, ...process.argv.slice(3), ofOptions, ...now.settings];
  return {
    rendering: hash(inputs),
    entries: hash([...ofEntries, ...code, ...variables].join('\n')),
    inputs,
    /** The same of the site's code. */
    code: [...code, ...(isPublic ? [] : variables)],
    /** The names of variables whose values do not count, although plugins may use them. */
    uncounted: isPublic && hasPlugins ? now.names : [],
  };
}

/** Returns what Git ignores in a folder: nothing if Git is missing, or does not know the folder. */
export async function ignoredIn(root: URL): Promise<string[]> {
  const args = ['ls-files', '-oiz', '--exclude-standard', '--directory'];
  // What finds Git and its settings. Any other variable may contain an API key.
  const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const env = { PATH, HOME, XDG_CONFIG_HOME };
  const options = { cwd: fileURLToPath(root), env, maxBuffer: 2 ** 28 };
  const git = await promisify(execFile)('git', args, options).catch(() => undefined);
  return git?.stdout.split('\0') ?? [];
}

/**
 * Returns the lines of what shapes each rendering, of the run, of the site's code and of the variables that it names. All
 * shape entries, too. `publicSettings` has the settings without the values of variables.
 */
function readSite(config: AstroConfig, ignored: readonly string[]) {
  const root = fileURLToPath(config.root);
  const astro = astroFolder(root) ?? root;
  const versions = renderers.map((name) => nearest(astro, `node_modules/${name}/package.json`));
  const locks = lockNames.flatMap((name) => nearest(root, name) ?? []);
  const place = environmentPlace(config.root);
  const environment = readEnvironment(place, '');
  const names = new Set(Object.keys(config.env.schema));
  const read = (path: string) => {
    const bytes = readFileSync(path);
    const text = bytes.toString('latin1');
    const words = readsVariables.test(text) ? text.matchAll(/\w+/g) : [];
    for (const [word] of words) if (Object.hasOwn(environment, word)) names.add(word);
    return `${hash(bytes)} \`${relative(root, path).replaceAll(sep, '/').replaceAll('\n', ' ')}\``;
  };
  const packages = [
    // Where something is unknown, no other process may have the same line.
    ...(locks.length > 0 ? locks.map(read) : [lineOf('the lock file (missing)', randomUUID())]),
    ...versions.flatMap((path) => (path ? read(path) : [])),
  ];
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const ofRun = [place.mode, process.env.NODE_ENV, timeZone, locale];
  const run = [lineOf('the mode, the time zone or the language', ofRun)];
  const code: string[] = [];
  try {
    code.push(...findFiles(root, config, ignored).map(read));
  } catch (error) {
    code.push(lineOf(`the site's files (unknown: ${messageOf(error)})`, randomUUID()));
  }
  const counted = [...names].sort().filter((each) => !uncountedVariable.test(each));
  const shown = [config.markdown, config.image];
  const values = [...names].flatMap((name) => environment[name] ?? []);
  const settingsOf = (value: unknown) => [
    lineOf('the settings of Markdown or images', value),
    ...packages,
  ];
  return {
    settings: settingsOf(shown),
    publicSettings: settingsOf(withoutValues(shown, values)),
    run,
    code,
    names: counted.filter((name) => environment[name] !== undefined),
    variables: counted.map((name) =>
      lineOf(`the environment variable \`${name}\``, environment[name]),
    ),
  };
}

/** In characters. Shorter values of variables are no secrets, and parts of other words. */
const minValueLength = 4;

/** Copies settings without the values of variables, which a plugin may get as an option. */
function withoutValues(settings: unknown, values: readonly string[]): unknown {
  const removed = values.filter(({ length }) => length >= minValueLength);
  removed.sort((a, b) => b.length - a.length);
  const copies = new Map<unknown, unknown>();

  function textOf(text: string): string {
    return removed.reduce((rest, value) => rest.replaceAll(value, ''), text);
  }

  function copyOf(value: unknown): unknown {
    if (typeof value === 'string') return textOf(value);
    const isSimple = Object(value) !== value || value instanceof RegExp || value instanceof URL;
    if (isSimple || copies.has(value)) return isSimple ? value : copies.get(value);
    const copy: [name: string, ...parts: unknown[]] = [Object(value).constructor?.name];
    copies.set(value, copy);
    if (typeof value === 'function') copy.push(value.name);
    const parts =
      value instanceof Map || value instanceof Set ? value : Object.entries(Object(value));
    for (const part of parts) copy.push(Array.isArray(part) ? part.map(copyOf) : copyOf(part));
    return copy;
  }

  return copyOf(settings);
}

/** Finds the files of code and data in a site's folder, and in linked packages, which no lock file covers. */
function findFiles(root: string, config: AstroConfig, ignored: readonly string[]): string[] {
  const { publicDir, outDir, cacheDir } = config;
  const output = [publicDir, outDir, cacheDir].map((url) => fileURLToPath(url));
  const visited = new Set([...output, ...ignored].map((path) => resolve(root, path)));
  const folders = withLinkedPackages(root);
  const files: string[] = [];
  for (const folder of folders) {
    visited.add(realpathSync(folder));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      const isFolder = stats?.isDirectory();
      const real = isFolder ? realpathSync(path) : path;
      const isVisited = visited.has(path) || visited.has(real);
      if (isVisited || uncounted.test(isFolder ? `${name}/` : name)) continue;
      visited.add(real);
      if (isFolder) folders.add(path);
      else if (stats?.isFile()) files.push(path);
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
    const own = JSON.parse(file ? readFileSync(file, 'utf8') : '{}');
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    for (const name of kinds.flatMap((kind) => Object.keys(own[kind] ?? {}))) {
      const path = nearest(folder, `node_modules/${name}`);
      const home = path && realpathSync(path);
      if (home && !home.includes('node_modules') && name !== 'astro-articles') folders.add(home);
    }
  }
  return folders;
}

/** Returns a line with 32 bits of the hash of a value, and its name. */
export function lineOf(name: string, value: unknown): string {
  const whole = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
  return `${hash(inspect(value, whole)).slice(0, 8)} ${name}`;
}

/** Returns the name of the first input of a fingerprint that differs. */
export function changedInput(before: string, now: string): string | undefined {
  const old = new Set(before.split('\n'));
  const changed = now.split('\n').find((line) => !old.delete(line)) ?? [...old][0];
  return changed?.slice(changed.indexOf(' ') + 1);
}
