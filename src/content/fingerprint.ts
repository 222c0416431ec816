import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { AstroConfig } from 'astro';
import type { Environment } from '../options/environment.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { hash } from '../shared/hash.ts';
import { packageVersion } from '../shared/version.ts';
import type { InstalledPackages } from './installed-packages.ts';
import { type SiteInputs, siteAt } from './site-state.ts';

/** What changes renderings or entries, besides the articles. */
export interface Fingerprint {
  /** The hash of all inputs of renderings. No value of a variable is one of them, because the mirror may be in a repository. */
  rendering: string;
  /** The hash of all inputs of entries. Only Astro's cache has it. */
  entries: string;
  /** The hash and the name of each input of renderings, one a line. */
  inputs: string;
  /** The hash and the path of each file of the site's code. */
  code: readonly string[];
}

/**
 * Returns the hashes that decide whether renderings and entries of an earlier load are used again.
 *
 * @param options the options that shape the HTML of an article
 * @param read what the load has read of the site. `readsAgain`: whether its code may have changed since it was read
 */
export function siteFingerprint(
  config: AstroConfig,
  options: object,
  read: { environment: Environment; packages: InstalledPackages; readsAgain?: boolean },
): Fingerprint {
  const { environment, packages, readsAgain } = read;
  const { code, firstCode, settings } = readSite(config, packages, { readsAgain });
  const run = runLine(environment);
  const commonLines = [
    inputLine('the version of astro-articles', packageVersion),
    inputLine('the options of rendering', options),
    ...settings,
  ];
  const pluginLines = hasMarkdownPlugins(config.markdown) ? [run, ...firstCode] : [];
  // The lock file is one of the site's files, too.
  const inputs = [...new Set([...commonLines, ...pluginLines])].join('\n');
  // Flags such as `--devOutput` change `import.meta.env`.
  const flags = process.argv.slice(3);
  const schemaLines = [run, ...flags, ...variableLines(config, environment), ...code];
  return {
    rendering: hash(inputs),
    entries: hash([...commonLines, ...schemaLines].join('\n')),
    inputs,
    code,
  };
}

/**
 * Reads the settings and the code of a site: once for each config, because Astro 6 adds to the settings when it renders.
 *
 * @param how `readsAgain`: whether to read the code again
 */
export function readSite(
  config: AstroConfig,
  packages: InstalledPackages,
  { readsAgain = false } = {},
): SiteInputs {
  const site = siteAt(config.root);
  const known = site.inputs?.config === config ? site.inputs : undefined;
  const code = known && !readsAgain ? known.code : codeLines(config);
  site.inputs = {
    config,
    settings: known?.settings ?? settingLines(config, packages),
    code,
    firstCode: site.inputs?.firstCode ?? code,
  };
  return site.inputs;
}

/** Returns the lines of what all renderings use: settings, and installed packages. */
function settingLines(
  { root, markdown, image }: AstroConfig,
  { lockFiles, renderers }: InstalledPackages,
): string[] {
  const folder = fileURLToPath(root);
  return [
    inputLine('the settings of Markdown or images', [markdown, image]),
    ...[...lockFiles, ...renderers].map((path) => fileLine(folder, path)),
  ];
}

const codeName = /(?<!\.d)\.(?:[cm]?[jt]s|[jt]sx|json)$/;

/**
 * Returns the lines of the site's code, which Markdown plugins and schemas are part of: the files in its root, and below
 * its folder of sources, without content and types.
 */
function codeLines({ root, srcDir }: AstroConfig): string[] {
  const folder = fileURLToPath(root);
  const sources = fileURLToPath(srcDir);
  const found = [
    ...readdirSync(folder, { withFileTypes: true }),
    ...(existsSync(sources) ? readdirSync(sources, { recursive: true, withFileTypes: true }) : []),
  ];
  const files = found.filter((file) => file.isFile() && codeName.test(file.name));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const content = join(sources, 'content', sep);
  const own = paths.filter(
    (path) => !path.startsWith(content) && !relative(folder, path).includes('node_modules'),
  );
  return [...new Set(own)].sort().map((path) => fileLine(folder, path));
}

/** Returns the line of what differs between two runs of the same code. */
function runLine({ mode }: Environment): string {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const run = [mode, process.env.NODE_ENV, timeZone, locale];
  return inputLine('the mode, the time zone or the language', run);
}

/** Returns the variables that the site names, with their values. */
function variableLines(
  { env }: AstroConfig,
  { variables, namesInFiles }: Environment,
): readonly string[] {
  const names = new Set([...Object.keys(env.schema), ...namesInFiles]);
  return [...names].sort().map((name) => `${name}=${variables[name]}`);
}

function fileLine(folder: string, path: string): string {
  const shown = relative(folder, path).replaceAll(sep, '/').replaceAll('\n', ' ');
  return `${hash(readFileSync(path))} \`${shown}\``;
}

/** Returns a line with 32 bits of the hash of a value, and its name. */
export function inputLine(name: string, value: unknown): string {
  const whole = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
  return `${hash(inspect(value, whole)).slice(0, 8)} ${name}`;
}

/** Returns the name of the first input of a fingerprint that differs. */
export function changedInput(before: string, now: string): string | undefined {
  const old = new Set(before.split('\n'));
  const changed = now.split('\n').find((line) => !old.delete(line)) ?? [...old][0];
  return changed?.slice(changed.indexOf(' ') + 1);
}
