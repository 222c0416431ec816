// Shows that `getCollection()` in each page is cheap if the images of each entry are resolved once.
// Builds a site of 1,000 entries with a cover each, without the change and with it, and compares the results.
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'astro';
import sharp from 'sharp';

const count = Number(process.argv[2] ?? 1000);

let isApplied = false;

/**
 * The change, in `content/runtime.js`: the data of an entry is resolved once for each map of images. Entries without images
 * share their data between calls already.
 */
const proposed = {
  name: 'proposed',
  transform(code: string, id: string) {
    if (!id.includes('/astro/dist/content/runtime.js')) return undefined;
    const head = 'function resolveEntryData(entry, imageAssetMap) {';
    if (!code.includes(head)) throw new Error('Astro has no resolveEntryData()');
    isApplied = true;
    const change = `
      const resolved = new WeakMap();
      function resolveEntryData(entry, imageAssetMap) {
        if (!entry.imageImports?.length || !imageAssetMap) return entry.data;
        const byEntry = resolved.get(imageAssetMap) ?? new WeakMap();
        resolved.set(imageAssetMap, byEntry);
        const data = byEntry.get(entry) ?? resolveDataOfEntry(entry, imageAssetMap);
        byEntry.set(entry, data);
        return data;
      }`;
    return change + code.replace(head, 'function resolveDataOfEntry(entry, imageAssetMap) {');
  },
};

const files = {
  'src/content.config.ts': `
    import { defineCollection } from 'astro:content';
    import { glob } from 'astro/loaders';
    import { z } from 'astro/zod';
    const loader = glob({ base: './src/articles', pattern: '*.md' });
    const schema = ({ image }) => z.object({ title: z.string(), cover: image() });
    export const collections = { articles: defineCollection({ loader, schema }) };`,
  'src/pages/[id].astro': `---
    import { getCollection } from 'astro:content';
    export async function getStaticPaths() {
      const entries = await getCollection('articles');
      return entries.map(({ id }) => ({ params: { id } }));
    }
    const entries = await getCollection('articles');
    const { data } = entries.find(({ id }) => id === Astro.params.id);
    // One page must not change what another one reads.
    const others = entries.filter((entry) => entry.data.title === 'changed').length;
    entries[0].data = { ...entries[0].data, title: 'changed' };
---
    <h1>{data.title}</h1><img src={data.cover.src} alt="" /><p>{entries.length} {others}</p>`,
};

const root = await mkdtemp(fileURLToPath(new URL('.site-', import.meta.url)));
try {
  await mkdir(join(root, 'src/articles'), { recursive: true });
  await mkdir(join(root, 'src/pages'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
  for (let id = 1; id <= count; id++) {
    const background = { r: id % 256, g: id >> 8, b: 0 };
    const create = { width: 8, height: 8, channels: 3, background } as const;
    await sharp({ create })
      .png()
      .toFile(join(root, `src/articles/${id}.png`));
    const text = `---\ntitle: Article ${id}\ncover: ./${id}.png\n---\n`;
    await writeFile(join(root, `src/articles/${id}.md`), text);
  }
  // The first build fills the caches of content and images, so that the others do the same work.
  await buildWith([]);
  const before = await buildWith([]);
  const after = await buildWith([proposed]);
  if (!isApplied) throw new Error('the change was not used');
  if (before.hash !== after.hash) throw new Error('the two builds differ');
  console.log(
    `without the change ${before.seconds.toFixed(1)} s of CPU, with it ${after.seconds.toFixed(1)} s`,
  );
} finally {
  await rm(root, { recursive: true });
}

async function buildWith(plugins: (typeof proposed)[]) {
  const start = process.cpuUsage();
  await build({ root, configFile: false, logLevel: 'error', vite: { plugins } });
  return {
    seconds: process.cpuUsage(start).user / 1_000_000,
    hash: await hashOf(join(root, 'dist')),
  };
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of globSync('**/*.{html,png}', { cwd: folder }).sort())
    hash.update(path).update(await readFile(join(folder, path)));
  return hash.digest('hex');
}
