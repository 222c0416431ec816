import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { kilobytes, seconds, spread } from '../figures.ts';
import { makePackageSite } from '../variants.ts';

const countOf = ({ quick }: Bench) => (quick ? 100 : 10_000);

const variants = [
  "rows: 'whole'",
  "rows: { changedBy: 'updated_at' }",
  "rows: { changedBy: 'updated_at' }, query: { fields: 'id,updated_at' }",
];

/** The bytes that loads transfer, by the options that shape the listing. */
export const listingTable: Table = {
  name: 'listing',
  title: 'What loads transfer',
  about: (bench) =>
    `${countOf(bench)} articles without covers, \`bodies: 'mirror'\`, \`astro sync\`, and the same again with nothing changed. The bytes are ` +
    'those of the bodies that the service sends by HTTP, without compression and without headers. Rows have the field ' +
    `\`updated_at\`, and the service selects fields of rows by \`fields\`. ${articlesNote}`,
  columns: [
    'options',
    'first, requests',
    'first, bytes',
    'later, requests',
    'later, bytes',
    'later load',
  ],

  async fill(bench, row) {
    const service = await bench.service(countOf(bench), { updated: true });
    for (const options of variants) {
      await row(`\`${options}\``, async () => {
        const site = await makePackageSite(service.env, `bodies: 'mirror', ${options}`);
        await service.send({ kind: 'requests' });
        await site.astro('sync');
        const firstBytes = await service.send({ kind: 'bytes' });
        const first = await service.send({ kind: 'requests' });
        const loads = await bench.repeat(async () => (await site.astro('sync')).load);
        const laterBytes = (await service.send({ kind: 'bytes' })) / loads.length;
        const later = (await service.send({ kind: 'requests' })) / loads.length;
        await site.remove();
        const times = spread(loads, seconds);
        return [String(first), kilobytes(firstBytes), String(later), kilobytes(laterBytes), times];
      });
    }
  },
};
