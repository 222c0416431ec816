import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArticlesError } from '../errors.ts';
import { joinSome } from '../shared/notice.ts';

/** Where a page may name a file: attributes, `srcset`, and `url()` of a style. */
const before = String.raw`(?<=["'\s,(=])`;

/**
 * Checks that the files of Astro that pages link to are part of the output. In some versions, an incremental build
 * restores a page whose scripts, styles or images another build has removed (withastro/astro#17633, #17704, #17974,
 * #18058).
 *
 * @param assets the path below which Astro writes files, with `base`
 * @throws {ArticlesError} `assets-missing`
 */
export function checkAssetLinks(dir: URL, { base, assets }: { base: string; assets: string }) {
  const folder = fileURLToPath(dir);
  const root = `${base.replace(/\/$/, '')}/`;
  const link = new RegExp(`${before}${escaped(root)}(${escaped(assets)}/[^"'\\s,)?#<>&]+)`, 'g');
  const found = new Map<string, boolean>();
  const exists = (path: string) => {
    const isThere = found.get(path) ?? existsSync(join(folder, decodeURI(path)));
    found.set(path, isThere);
    return isThere;
  };
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const broken = names.flatMap((page) => {
    if (!page.endsWith('.html')) return [];
    const links = readFileSync(join(folder, page), 'utf8').matchAll(link);
    const missing = Array.from(links, ([, path = '']) => path).find((path) => !exists(path));
    return missing ? [{ page, missing }] : [];
  });
  const [first] = broken;
  if (!first) return;
  throw new ArticlesError(
    'assets-missing',
    `Pages link to files that this build does not have: ${joinSome(broken.map(({ page }) => page))} (${first.missing}).`,
    {
      hint: 'Remove `experimental.incrementalBuild` for one build, or run `npx astro build --force`.',
    },
  );
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
