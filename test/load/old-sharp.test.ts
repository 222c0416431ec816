import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ImageKind } from '../../src/shared/image-kinds.ts';
import { type Load, offline, useSite } from '../helpers/use-site.ts';

// Astro decodes each image again, with its own sharp.

const coverOf: Record<ImageKind, string> = {
  ...{ avif: 'bees.avif', gif: 'balloon.gif' },
  ...{ webp: 'clouds.webp', jpg: 'tides.jpg', png: 'welcome.png' },
};
const covers = Object.values(coverOf);
const articles = () =>
  covers.map((name, index) => ({
    id: index,
    title: name,
    content: `![A picture](/media/${name})`,
    cover_image: `/media/${name}`,
  }));
const site = useSite({ articles, options: { images: { body: 'local' } } });
// Ten images may take longer than the short time limits of other tests.
beforeEach(() => void vi.restoreAllMocks());

/** Installs a version of sharp for the site. */
async function install(version: string): Promise<void> {
  const folder = join(site.root, 'node_modules/sharp');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'sharp', version }));
}

/** Returns the kinds of covers that a load shows, and expects its bodies to show the same ones. */
function shownKinds({ entries, failure }: Load): string[] {
  expect(failure).toBeUndefined();
  const shown = [...entries.values()].filter(({ data }) => data.cover_image !== null);
  for (const entry of entries.values()) {
    const name = String(entry.data.title);
    const isShown = shown.includes(entry);
    const remote = `src="${site.service.url}/media/${name}"`;
    expect(entry.rendered?.html?.includes(remote), name).toBe(!isShown);
    expect(entry.assetImports ?? []).toHaveLength(isShown ? 1 : 0);
    expect(entry.data.cover_color === null, name).toBe(!isShown);
  }
  return shown.map(({ data }) => String(data.title).split('.')[1] ?? '').toSorted();
}

const safe = ['jpg', 'png', 'webp'];
const all = ['avif', 'gif', ...safe];

test('checks images of an earlier load again, and requests none after an update of sharp', async () => {
  expect(shownKinds(await site.load())).toEqual(all);
  for (const more of [{}, offline]) {
    await install('0.35.3');
    const old = await site.load({}, more);
    expect(shownKinds(old)).toEqual(safe);
    expect(old.warnings.filter((text) => text.includes('sharp 0.35.3'))).toHaveLength(2);
    await install('0.35.4');
    expect(shownKinds(await site.load({}, more))).toEqual(all);
  }
  // The covers, and the images of the bodies with their whole URLs.
  expect(site.service.count('media')).toBe(2 * covers.length);
});

test('an old sharp fails a build that fails on images', async () => {
  await install('0.34.5');
  const { message } = await site.loadFails({ failOn: ['images'] });
  expect(message).toContain('"sharp": "^0.35.5"');
  await rm(join(site.root, 'node_modules'), { recursive: true });
  expect((await site.load({ failOn: ['images'] })).failure).toBeUndefined();
});
