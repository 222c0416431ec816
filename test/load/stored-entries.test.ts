import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ArticlesOptions } from '../../src/options/options.ts';
import {
  fixtureCover,
  type ImageHost,
  startImageHost,
  withDomains,
} from '../helpers/image-host.ts';
import { allowRemoval, useSite } from '../helpers/use-site.ts';

// A load uses the entries of Astro's store again. They have to be those that a load into an empty store makes.

const site = useSite(allowRemoval);
let host: ImageHost;

beforeAll(async () => {
  host = await startImageHost();
});
afterAll(() => host.close());
beforeEach(() => host.responses.clear());

/** Serves a picture that each load requests again. */
async function serve(path: string, name: string): Promise<void> {
  const bytes = await fixtureCover(name);
  host.responses.set(path, (_, response) =>
    response.writeHead(200, { 'cache-control': 'no-cache' }).end(bytes),
  );
}

interface Change {
  before?: () => unknown;
  change: () => unknown;
  /** The options of the later load. */
  options?: ArticlesOptions;
}

it.each<[string, Change]>([
  [
    'the bytes of its cover',
    { before: () => serve('/cover', 'tides.jpg'), change: () => serve('/cover', 'snow.jpg') },
  ],
  ['a picture in its text, which is missing before', { change: () => serve('/text', 'tides.jpg') }],
  ['its title', { change: () => site.service.change(1, { title: 'New' }) }],
  ['its text', { change: () => site.service.change(1, { content: 'New.' }) }],
  ['a field', { change: () => site.service.change(1, { author: 'Ada' }) }],
  ['its slug, which another article has before', { change: () => site.service.remove(2) }],
  ['the option `bodies`', { change: () => undefined, options: { bodies: 'mirror' } }],
  ['the option `entryId`', { change: () => undefined, options: { entryId: 'slug' } }],
])('an entry is that of a first load after a change of %s', async (_, given) => {
  const { before = () => undefined, change, options = {} } = given;
  const common = { cover_image: `${host.url}/cover`, slug: 'same' };
  site.service.replace([
    { ...common, id: 2, title: 'Two', content: 'Text.' },
    { ...common, id: 1, title: 'One', content: `Text. ![](${host.url}/text)` },
  ]);
  const load = async (more: ArticlesOptions, inMemory: boolean) => {
    const domains = withDomains(`127.0.0.1:${host.port}`);
    const { entries, failure } = await site.load(
      { images: { body: 'local' }, ...more },
      { ...domains, inMemory },
    );
    expect(failure).toBeUndefined();
    return entries;
  };
  const entryOf = (entries: Awaited<ReturnType<typeof load>>) =>
    [...entries.values()].find(({ data }) => data.position === 1);
  await before();
  const first = await load({}, false);
  await change();
  const later = await load(options, false);
  expect(later).toEqual(await load(options, true));
  expect(entryOf(first)).toBeDefined();
  expect(entryOf(later)).not.toEqual(entryOf(first));
});
