import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { serveFolder } from '../../src/serve/index.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { fixtureCover } from '../helpers/image-host.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => [] });

async function serve(...args: Parameters<typeof serveFolder>) {
  const service = await serveFolder(...args);
  onTestFinished(() => service.close());
  return service;
}

test('a site loads the articles of a served folder as its files are now', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'first.md'), '---\ntitle: First\n---\nText.\n');
  await writeFile(join(folder, 'page.mdx'), 'Not served.\n');
  const { url: baseUrl, apiKey, count, warnings } = await serve(folder, { port: 0 });
  expect(count).toBe(1);
  expect(warnings).toEqual([expect.stringContaining('page.mdx')]);
  const titles = async () => {
    const { entries, failure } = await site.load({ baseUrl, apiKey });
    expect(failure).toBeUndefined();
    return Array.from(entries.values(), ({ data }) => data.title).sort();
  };
  expect(await titles()).toEqual(['First']);
  await writeFile(join(folder, 'second.md'), '---\ntitle: Second\n---\nText.\n');
  expect(await titles()).toEqual(['First', 'Second']);
});

test('a site loads an article whose id has signs of URLs', async () => {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'first.md'),
    '---\nid: Tides & 100% moon?\ntitle: Tides\n---\n\nText.\n',
  );
  const { url: baseUrl, apiKey } = await serve(folder, { port: 0 });
  const { entries, failure } = await site.load({ baseUrl, apiKey });
  expect(failure).toBeUndefined();
  expect([...entries.keys()]).toEqual(['Tides & 100% moon?']);
});

test.each(['compare', 'whole'] as const)(
  'a file that can no longer be read is named, and its last article stays (rows: %s)',
  async (rows) => {
    const folder = await temporaryFolder();
    for (const name of ['one', 'two'])
      await writeFile(join(folder, `${name}.md`), `---\ntitle: A\n---\nText of ${name}.`);
    const { url: baseUrl, apiKey } = await serve(folder, { port: 0 });
    const options: ArticlesOptions = { baseUrl, apiKey, rows, failOn: ['service'] };
    expect((await site.load(options)).warnings).toEqual([]);
    await writeFile(join(folder, 'one.md'), Buffer.from('Caf\xe9.', 'latin1'));
    await writeFile(join(folder, 'two.md'), '---\ntitle: A\n---\nEdited.');
    const { failure, warnings, entries } = await site.load(options);
    expect(failure).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('one.md cannot be used')]);
    expect(entries.get('one')?.body).toBe('Text of one.');
    expect(entries.get('two')?.body).toBe('Edited.');
  },
);

test('a picture of a folder that is replaced is on the site', async () => {
  const folder = await temporaryFolder();
  const cover = join(folder, 'cover.jpg');
  await writeFile(join(folder, 'first.md'), '---\ntitle: First\ncover: cover.jpg\n---\n\nText.\n');
  await writeFile(cover, await fixtureCover('tides.jpg'));
  const { url: baseUrl, apiKey } = await serve(folder, { port: 0 });
  let loads = 0;
  const load = async () => {
    vi.spyOn(systemClock, 'date').mockReturnValue(Date.now() + 10_000 * ++loads);
    const { failure, entries } = await site.load({ baseUrl, apiKey });
    expect(failure).toBeUndefined();
    return entries.get('first')?.data.cover_image;
  };
  const file = await load();
  expect(await load()).toBe(file);
  await writeFile(cover, await fixtureCover('garden.avif'));
  expect(await load()).not.toBe(file);
});
