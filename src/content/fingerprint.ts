import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroConfig } from 'astro';
import { astroCommand } from '../options/environment.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { hash } from '../shared/hash.ts';
import { version } from '../shared/version.ts';
import { oncePrefix } from '../sync/renderings.ts';
import { packageFolder, readConfigFiles, readLockFiles } from './config-files.ts';
import { hasPlugins } from './languages.ts';

const names = new WeakMap<AstroConfig, string>();
const processors = new Set(['satteri', 'unified', undefined]);
const renderers = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];

/**
 * Names everything besides an article that shapes its HTML: versions, options, the site's Markdown
 * settings, and the files that they come from where plugins are at work. When that cannot be told, it
 * is another name for each start of Astro, so that nothing rendered before is taken for right.
 */
export async function fingerprintOf(
  config: AstroConfig,
  { sanitize, images, baseUrl }: ResolvedOptions,
): Promise<string> {
  const { markdown, image } = config;
  const shaping = { sanitize, body: images.body, baseUrl, markdown, image };
  const root = fileURLToPath(config.root);
  const locks = await readLockFiles(root);
  const known = [version, await versions(), describe(shaping), ...locks];
  const command = astroCommand();
  if (command?.force) return once(config);
  if (!runsOwnCode(markdown) && isKnownProcessor(markdown)) return hash(known.join('\n'));

  // A program that runs Astro may give it a config that is in no file.
  const files = command && (await readConfigFiles(root, command.config));
  return files && locks.length > 0 ? hash([...known, ...files].join('\n')) : once(config);
}

/** The name that stands where nothing can be told: another one for each start of Astro. */
function once(config: AstroConfig): string {
  const name = names.get(config) ?? `${oncePrefix}${randomUUID()}`;
  names.set(config, name);
  return name;
}

/** Whether a plugin, or a function anywhere among the settings, has a say in the HTML. */
function runsOwnCode(markdown: AstroConfig['markdown']): boolean {
  const processor: unknown = Reflect.get(markdown, 'processor');
  const options: unknown =
    typeof processor === 'object' && processor && Reflect.get(processor, 'options');
  const seen = new Set<unknown>();
  const holdsFunction = (value: unknown): boolean => {
    if (typeof value === 'function') return true;
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    return Object.values(value).some(holdsFunction);
  };
  return hasPlugins(markdown) || holdsFunction({ ...markdown, processor: options });
}

function isKnownProcessor(markdown: AstroConfig['markdown']): boolean {
  const processor: unknown = Reflect.get(markdown, 'processor');
  const name: unknown =
    typeof processor === 'object' && processor ? Reflect.get(processor, 'name') : undefined;
  return processors.has(name as string | undefined);
}

/** The versions of what renders Markdown, as the site's Astro finds it. */
async function versions(): Promise<string> {
  const astro = dirname(createRequire(import.meta.url).resolve('astro/package.json'));
  const found = renderers.map(async (name) => {
    const folder = name === 'astro' ? astro : packageFolder(name, astro);
    const text = folder ? await readFile(join(folder, 'package.json'), 'utf8') : '{}';
    return `${name} ${JSON.parse(text).version}`;
  });
  return (await Promise.all(found)).join(' ');
}

/** A value as text, functions by their source. */
function describe(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'function' || inner instanceof RegExp) return String(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (seen.has(inner)) return '(again)';
    seen.add(inner);
    return inner;
  });
}
