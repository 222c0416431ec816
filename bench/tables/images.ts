import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Bench, Table } from '../bench.ts';
import { milliseconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import type { ImagesResult } from '../programs/images.ts';

const formats = ['jpg', 'png', 'webp', 'avif', 'gif'];
const picture = fileURLToPath(new URL('../../fixtures/covers/ridges.jpg', import.meta.url));
const countOf = ({ quick }: Bench) => (quick ? 12 : 100);
const kinds = 4;

/** The time to store a cover in the mirror. */
export const imagesTable: Table = {
  name: 'images',
  title: 'Covers',
  about: (bench) =>
    `${countOf(bench)} URLs of ${kinds} pictures of 1600 × 900 pixels, six requests at once. *Store* is to download an image, ` +
    'detect its format, decode it completely, and write it to the mirror; *download only* is `fetch()` of the same URLs. ' +
    'The service is on the same machine and has no latency; with a slower network, decoding runs during downloads. ' +
    'Astro’s own image processing is not measured.',
  columns: [
    'format',
    'store ÷ download only',
    'store, per cover',
    'download only',
    'store, KB/s',
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
        const options = { folder: bench.folder, origin, urls };
        const results = await bench.repeat(() => runProgram<ImagesResult>('images', options));
        const size = (results[0]?.bytes ?? 0) / count;
        const store = results.map((result) => result.store / count);
        const download = results.map((result) => result.download / count);
        return [
          times(store, download),
          spread(store, milliseconds),
          spread(download, milliseconds),
          spread(
            store.map((time) => size / time),
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
