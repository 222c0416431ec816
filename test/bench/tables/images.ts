import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Bench, Table } from '../bench.ts';
import { milliseconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import type { ImagesFound } from '../programs/images.ts';

const formats = ['jpg', 'png', 'webp', 'avif', 'gif'];
const picture = fileURLToPath(new URL('../../../fixtures/covers/ridges.jpg', import.meta.url));
const countOf = ({ quick }: Bench) => (quick ? 12 : 100);
const kinds = 4;

/** What a cover costs until it is in the mirror. */
export const imagesTable: Table = {
  name: 'images',
  title: 'Covers',
  about: (bench) =>
    `${countOf(bench)} addresses of ${kinds} pictures of 1600 × 900 pixels, six requests at once. *Ours* is downloading, ` +
    'recognising, decoding all of it, and writing it into the mirror; *download only* is `fetch()` of the same. ' +
    'The service is on the same machine and has no latency: behind a network, decoding goes on beside it. What ' +
    'Astro then makes of a cover is not measured here.',
  columns: [
    'format',
    'ours ÷ download only',
    'ours, per cover',
    'download only',
    'ours, KB/s',
    'size',
  ],

  async fill(bench, row) {
    const mediaFolder = join(bench.folder, 'media');
    await mkdir(mediaFolder, { recursive: true });
    const { origin } = await bench.service(1, { mediaFolder });
    const count = countOf(bench);
    for (const format of formats) {
      await row(format, async () => {
        await drawAll(mediaFolder, format);
        const urlOf = (index: number) => `${origin}/media/${index % kinds}.${format}?n=${index}`;
        const urls = Array.from({ length: count }, (_, index) => urlOf(index));
        const given = { folder: bench.folder, origin, urls };
        const found = await bench.repeat(() => runProgram<ImagesFound>('images', given));
        const size = (found[0]?.bytes ?? 0) / count;
        const ours = found.map((one) => one.ours / count);
        const download = found.map((one) => one.download / count);
        return [
          times(ours, download),
          spread(ours, milliseconds),
          spread(download, milliseconds),
          spread(
            ours.map((time) => size / time),
            (rate) => rate.toFixed(0),
          ),
          `${Math.round(size / 1000)} KB`,
        ];
      });
    }
  },
};

async function drawAll(folder: string, format: string): Promise<void> {
  for (let kind = 0; kind < kinds; kind++) {
    const drawn = sharp(picture)
      .resize(1600, 900)
      .modulate({ hue: kind * 40 });
    const encoded = format === 'avif' ? drawn.avif({ effort: 0 }) : drawn;
    await encoded.toFile(join(folder, `${kind}.${format}`));
  }
}
