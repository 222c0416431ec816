import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { articlesNote, benchArticles } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { type Builds, buildCells, measureBuilds } from '../loads.ts';
import { articlePage, type BenchSite, makeSite } from '../sites.ts';
import { bodiesVariants, globLabel, makePackageSite } from '../variants.ts';

const picture = fileURLToPath(new URL('../../fixtures/covers/ridges.jpg', import.meta.url));
const countOf = ({ quick }: Bench) => (quick ? 12 : 1000);
const widths = [320, 640, 960, 1280];

/** The time of builds that make images of all covers. */
export const coversTable: Table = {
  name: 'covers',
  title: 'Pages with covers',
  about: (bench) =>
    `\`astro build\` of a site with one page per article (${countOf(bench)}), each with its cover of 1280 × 720 pixels in ` +
    `${widths.length} widths. *First* starts without caches, *later* builds again with nothing changed. \`glob()\` reads the same ` +
    `articles and covers as local files. ${articlesNote}`,
  columns: ['loader', 'first ÷ glob()', 'later ÷ glob()', 'first', 'later'],

  async fill(bench, row) {
    const count = countOf(bench);
    const mediaFolder = join(bench.folder, 'covers');
    await drawCovers(mediaFolder, count);
    const { env } = await bench.service(count, { mediaFolder, covers: true });
    const variants = [
      { label: globLabel, make: () => globSite(mediaFolder, count) },
      ...bodiesVariants.map(({ label, options }) => {
        return { label, make: () => makePackageSite(env, options, { page: page('cover_image') }) };
      }),
    ];
    let base: Builds | undefined;
    for (const { label, make } of variants) {
      await row(label, async () => {
        const site = await make();
        const builds = await measureBuilds(bench, { site });
        await site.remove();
        base ??= builds;
        return buildCells(builds, base);
      });
    }
  },
};

/** Draws a cover for each article, all of them different. The default gives files of 30 KB. */
export async function drawCovers(
  folder: string,
  count: number,
  { width = 1280, quality = 80 } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const height = (width * 9) / 16;
  const drawn = await sharp(picture).resize(width, height).toBuffer();
  for (let id = 1; id <= count; id++) {
    const text = `<svg width="1280" height="720"><text x="40" y="90" font-size="80">${id}</text></svg>`;
    await sharp(drawn)
      .composite([{ input: Buffer.from(text) }])
      .jpeg({ quality })
      .toFile(join(folder, `${id}.jpg`));
  }
}

async function globSite(mediaFolder: string, count: number): Promise<BenchSite> {
  const site = await makeSite({ content: globContent, page: page('cover') });
  for (const { id, title, content } of benchArticles(count)) {
    const front = `title: ${JSON.stringify(title)}\ncover: ${join(mediaFolder, `${id}.jpg`)}`;
    await site.write(`articles/${id}.md`, `---\n${front}\n---\n\n${content}`);
  }
  return site;
}

const globContent = `
  import { defineCollection } from 'astro:content';
  import { glob } from 'astro/loaders';
  import { z } from 'astro/zod';
  const loader = glob({ base: './articles', pattern: '*.md' });
  const schema = ({ image }) => z.object({ title: z.string(), cover: image() });
  export const collections = { articles: defineCollection({ loader, schema }) };`;

function page(field: string): string {
  return articlePage({
    imports: "import { Image } from 'astro:assets';",
    markup: `<Image src={entry.data.${field}} alt="" widths={[${widths.join(', ')}]} sizes="100vw" />`,
  });
}
