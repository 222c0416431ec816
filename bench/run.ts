import { parseArgs } from 'node:util';
import { createBench, fillTable, type Table } from './bench.ts';
import { toMarkdown } from './figures.ts';
import { describeMachine } from './machine.ts';
import { stopAll } from './processes.ts';
import { makeFolder, removeFolders } from './sites.ts';
import { buildTable } from './tables/build.ts';
import { coversTable } from './tables/covers.ts';
import { firstTable } from './tables/first.ts';
import { handTable } from './tables/hand.ts';
import { imagesTable } from './tables/images.ts';
import { incrementalTable } from './tables/incremental.ts';
import { jobTable } from './tables/job.ts';
import { listingTable } from './tables/listing.ts';
import { listsTable } from './tables/lists.ts';
import { liveTable } from './tables/live.ts';
import { loadersTable } from './tables/loaders.ts';
import { newestTable } from './tables/newest.ts';
import { renderTable } from './tables/render.ts';
import { soakTable } from './tables/soak.ts';
import { startTable } from './tables/start.ts';
import { syncTable } from './tables/sync.ts';
import { warmTable } from './tables/warm.ts';

const tables: Table[] = [
  jobTable,
  syncTable,
  firstTable,
  warmTable,
  startTable,
  renderTable,
  imagesTable,
  coversTable,
  listsTable,
  listingTable,
  handTable,
  loadersTable,
  incrementalTable,
  buildTable,
  newestTable,
  liveTable,
  soakTable,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, repeats: { type: 'string' } },
});
const names = tables.map(({ name }) => name);
const repeats = Number(values.repeats ?? (values.quick ? 1 : 3));
const unknown = positionals.some((name) => !names.includes(name));
if (unknown || !Number.isInteger(repeats) || repeats < 1) {
  process.stderr.write(`npm run bench -- [--quick] [--repeats 3] [${names.join('|')} …]\n`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await cleanUp();
    // Meanwhile, the current table may have started its next row.
    stopAll();
    process.exit(1);
  });
}

try {
  const { quick } = values;
  const bench = createBench({ quick, repeats, folder: await makeFolder() });
  const times = repeats === 1 ? 'once' : `${repeats} times: median (minimum–maximum)`;
  const size = quick ? 'Quick run, small sizes. ' : '';
  process.stdout.write(`${await describeMachine()}\n\n${size}Each figure was measured ${times}.\n`);
  for (const table of tables) {
    const isWanted = positionals.length > 0 ? positionals.includes(table.name) : !table.isLong;
    if (!isWanted) continue;
    const figures = await fillTable(table, bench);
    const about = table.about(bench);
    process.stdout.write(`\n### ${table.title}\n\n${about}\n\n${toMarkdown(figures)}\n`);
  }
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  stopAll();
  await removeFolders();
}
