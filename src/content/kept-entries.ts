import { isDamage, type Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { renderingKey } from './entry-digest.ts';
import type { Renderer } from './renderer.ts';

/** What entries need that are of earlier versions of their articles. */
export interface Held {
  /** Files of the mirror, as paths in its folder. */
  files: string[];
  /** Keys of renderings. */
  keys: string[];
}

interface EarlierEntry {
  digest?: string | number | undefined;
  assetImports?: string[] | undefined;
}

/** What an entry needs that stays as it was; undefined when some of that is lost. */
export async function heldBy(
  { digest, assetImports = [] }: EarlierEntry,
  {
    mirror,
    renderer,
    options,
  }: { mirror: Mirror; renderer: Renderer; options: Pick<ResolvedOptions, 'bodies'> },
): Promise<Held | undefined> {
  const names = assetImports.flatMap((path) => /^\.\/([^/]+)$/.exec(path)?.[1] ?? []);
  const images = names.map((name) => `images/${name}`);
  const present = await Promise.all(images.map(mirror.hasFile));
  if (present.includes(false)) return undefined;
  if (options.bodies === 'store') return { files: images, keys: [] };

  const key = renderingKey(String(digest));
  const whole = await renderer.read(key).catch((error) => {
    if (isDamage(error)) return undefined;
    throw error;
  });
  return whole && { files: [...images, `articles/${whole.rendering.object}.json`], keys: [key] };
}
