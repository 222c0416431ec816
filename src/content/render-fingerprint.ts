import { existsSync } from 'node:fs';
import { glob, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { AstroConfig } from 'astro';
import { ArticlesOptionsError, quote } from '../errors.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { hash } from '../shared/hash.ts';
import { version } from '../shared/version.ts';
import { configNames, packageFolder, readLockFiles, readModules } from './module-files.ts';

export interface RenderFingerprint {
  /** A hash of all known inputs of rendering, except the article. */
  fingerprint: string;
  /** Whether all inputs are known. If not, HTML that was rendered earlier may be outdated. */
  isCertain: boolean;
}

/**
 * Returns a fingerprint of the settings that articles are rendered with: versions, options, the site's Markdown
 * settings, the files of `renderInputs` and, if the site has Markdown plugins, the config files and the local files
 * that they name.
 *
 * @throws {ArticlesOptionsError} when a pattern of `renderInputs` matches no file
 */
export async function renderFingerprint(
  { markdown, image, root }: Pick<AstroConfig, 'markdown' | 'image' | 'root'>,
  { sanitize, links, images, baseUrl, renderInputs }: ResolvedOptions,
): Promise<RenderFingerprint> {
  const folder = fileURLToPath(root);
  const command = astroCommand();
  const settings = serialise({ sanitize, links, body: images.body, baseUrl, markdown, image });
  const locks = await readLockFiles(folder);
  const inputs = await readInputs(renderInputs, folder);
  const known = [version, await rendererVersions(), settings, ...locks, ...inputs];
  if (!hasMarkdownPlugins(markdown))
    return { fingerprint: hashAll(known), isCertain: !command?.force };

  // Without Astro's command line, the config may not be in a file.
  const names = command?.config ? [command.config] : configNames;
  const config = names.map((name) => resolve(folder, name)).find((path) => existsSync(path));
  // Expressive Code reads its own config file.
  const others = [join(folder, 'ec.config.mjs')].filter((path) => existsSync(path));
  const code = await readModules(config ? [config, ...others] : []);
  const isCertain = command?.force === false && locks.length > 0 && code.isComplete;
  return { fingerprint: hashAll([...known, ...code.texts]), isCertain };
}

function hashAll(parts: readonly string[]): string {
  return hash(parts.map(hash).join(' '));
}

/** Parses the arguments of Astro's command line; undefined when another program runs Astro. */
function astroCommand(): { config?: string | undefined; force: boolean } | undefined {
  const [, program = '', ...args] = process.argv;
  if (!basename(program).startsWith('astro')) return undefined;
  const options = { config: { type: 'string' }, force: { type: 'boolean' } } as const;
  const { config, force } = parseArgs({ args, options, strict: false }).values;
  return { config: typeof config === 'string' ? config : undefined, force: force === true };
}

/** Serialises a value; functions are represented by their source. */
function serialise(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_, part) => {
    if (typeof part === 'function' || part instanceof RegExp) return String(part);
    if (typeof part !== 'object' || part === null) return part;
    if (seen.has(part)) return '(seen)';
    seen.add(part);
    return part;
  });
}

const renderPackages = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];

/** Returns the versions of the packages that render Markdown, as the site's Astro resolves them. */
async function rendererVersions(): Promise<string> {
  const astro = dirname(createRequire(import.meta.url).resolve('astro/package.json'));
  const versions = renderPackages.map(async (name) => {
    const folder = name === 'astro' ? astro : packageFolder(name, astro);
    const text = folder ? await readFile(join(folder, 'package.json'), 'utf8') : '{}';
    return `${name} ${JSON.parse(text).version}`;
  });
  return (await Promise.all(versions)).join(' ');
}

async function readInputs(patterns: readonly string[], folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const pattern of patterns) {
    const found: string[] = [];
    for await (const path of glob(pattern, { cwd: folder })) {
      const file = join(folder, path);
      if ((await stat(file)).isFile()) found.push(`${path} ${await readFile(file, 'latin1')}`);
    }
    if (found.length === 0) {
      throw new ArticlesOptionsError(
        'invalid-options',
        `\`renderInputs\`: no file matches ${quote(pattern)}.`,
        { hint: 'Patterns are relative to the folder of astro.config.' },
      );
    }
    texts.push(...found.sort());
  }
  return texts;
}
