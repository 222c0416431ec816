import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { AstroConfig } from 'astro';
import { messageOf } from '../messages.ts';
import { readEnvironment } from '../options/resolve-options.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { hash } from '../shared/hash.ts';
import { version } from '../shared/version.ts';
import { astroFolder, nearest } from './installed-packages.ts';
import { findFiles, ignoredIn } from './site-files.ts';
import { environmentPlace, siteAt } from './site-state.ts';
import { withoutValues } from './without-values.ts';

export type Fingerprint = Awaited<ReturnType<typeof siteFingerprint>>;

const lockNames =
  'npm-shrinkwrap.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb'.split(' ');
const renderers = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];
// The variables of this package are options, NODE_ENV counts with the mode, and `_` is the last command of a shell.
const uncountedVariable =
  /^(?:ARTICLES_(?:BASE_URL|API_KEY|OFFLINE|ALLOW_REMOVAL|REFRESH_SECRET|REDIRECTS|DEBUG)|NODE_ENV|_)$/;
// As in `process.env`, `astro:env/server`, `{ env }`, `(env) =>` and `loadEnv()`.
const readsVariables = /[.:{,(]\s*env\b|Env\(/;

/**
 * Returns hashes of everything besides the articles that changes renderings or entries. The hash of renderings has the
 * site's code as this process first read it, because Astro keeps the Markdown plugins that it started with. The settings
 * are read once for each config, because Astro 6 adds to them when it renders.
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

/**
 * Returns the inputs of a fingerprint, a line each: settings and versions, which all renderings use; the run, the site's
 * code and the variables that it names, which Markdown plugins may use. Entries use all of them. `publicSettings` has the
 * settings without the values of variables.
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
