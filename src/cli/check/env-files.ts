import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import type { Facts } from './facts.ts';

const example = /\.(example|sample|template|dist)$/;

/** The .env files of a folder that hold a key, and whether git leaves them alone. */
export async function checkEnvFiles(folder: string, apiKey: string): Promise<Facts['envFiles']> {
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => /^\.env(\.|$)/.test(name))
    .sort();
  const found: Facts['envFiles'] = [];
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    const key = parseEnv(text).ARTICLES_API_KEY?.trim();
    // An example holds a made-up key, and is there to be committed.
    if (!key || (example.test(name) && key !== apiKey)) continue;
    found.push({ name, ignored: await isIgnored(folder, name) });
  }
  return found;
}

/** A file that git already keeps counts as not ignored, whatever .gitignore says. */
async function isIgnored(folder: string, name: string): Promise<boolean | null> {
  try {
    await promisify(execFile)('git', ['check-ignore', '--quiet', '--', name], { cwd: folder });
    return true;
  } catch (error) {
    // 1: not ignored; 128: no repository; anything else: no git.
    return error instanceof Error && Reflect.get(error, 'code') === 1 ? false : null;
  }
}
