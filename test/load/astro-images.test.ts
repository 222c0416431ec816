import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { describe, expect, it, test } from 'vitest';
import { articleSchema } from '../../src/content/schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { type Entry, importedFiles, useSite } from '../helpers/use-site.ts';

// Astro's image pipeline looks for two marks in what a loader stores. In `data`, every string that
// starts with `__ASTRO_IMAGE_` is the path of a file to import (content/mutable-data-store.js,
// content/runtime.js). In `rendered.html`, every `__ASTRO_IMAGE_="…"` is the JSON of an image
// (content/runtime.js, `updateImageReferencesInBody`).

const mark = '__ASTRO_IMAGE_';
const site = useSite();
const ownFile = /^[0-9a-f]+\.\w+$/;

/** Strings that make Astro import a file when they are the value of a field. */
const importing = [
  `${mark}/scripts/seed.mjs?astroContentImageFlag&x=.png`,
  `${mark}./x.png`,
  `${mark}`,
  `${mark}${mark}./x.png`,
];

/** Strings that a schema could turn into one of those. */
const nearly = [` ${mark}./x.png`, `\t${mark}./x.png\n`, `\u00a0${mark}./x.png`];

async function load(
  article: object,
  schema = articleSchema as typeof extended,
  options: ArticlesOptions = {},
) {
  const cover = '/media/pause.gif';
  site.service.replace([{ id: 1, title: 't', content: 'c', cover_image: cover, ...article }]);
  const { failure, entries } = await site.load(options, { schema });
  expect(failure).toBeUndefined();
  const entry = entries.get('1');
  if (!entry) return expect.fail('the article is not in the collection');
  return entry;
}

/** A schema that passes strings of the service to `data` in every possible way. */
function extended(context: SchemaContext) {
  return articleSchema(context).extend({
    picture: context.image().optional(),
    trimmed: z.string().trim(),
    joined: z.array(z.string()).transform((parts) => parts.join('')),
    record: z.record(z.string(), z.string()),
    anything: z.unknown(),
  });
}

/** Expects that Astro imports only files of the mirror for an entry. */
async function expectOwnFiles(entry: Entry): Promise<void> {
  const images = join(await site.mirror(), 'images');
  for (const path of importedFiles(site.root, entry)) {
    expect(dirname(path)).toBe(images);
    expect(basename(path)).toMatch(ownFile);
  }
}

/** Expects that Astro imports only the cover for an entry. */
async function expectOnlyCover(entry: Entry): Promise<void> {
  const { assetImports, imageImports, data } = entry;
  await expectOwnFiles(entry);
  expect(imageImports).toEqual([['cover_image']]);
  expect(assetImports).toEqual([data.cover_image]);
  // Astro 6 keeps the prefix in the store, and looks for it in every string when an entry is read.
  const { cover_image: _, ...others } = data;
  expect(stringsIn(others).filter((text) => text.startsWith(mark))).toEqual([]);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

describe('a string of the service that Astro would import as an image', () => {
  test.each([...importing, ...nearly])('leaves out its article, and is named: %j', async (text) => {
    const others = { trimmed: 'a', joined: [], record: {}, anything: null };
    const articles = [
      { title: text },
      { trimmed: text },
      { joined: [text.slice(0, 4), text.slice(4)] },
      { record: { [text]: text } },
      { anything: { list: [text, [{ text }]] } },
      { anything: { [text]: 'x' } },
    ];
    site.service.replace(
      articles.map((fields, i) => ({
        ...{ id: i + 1, title: 't', content: 'c', cover_image: '/media/pause.gif', ...others },
        ...fields,
      })),
    );
    const { failure, entries, log } = await site.load(
      { failOn: ['service'] },
      { schema: extended },
    );
    expect(failure).toBeUndefined();
    // Before a space, it is a mark only where the schema removes the space.
    expect([...entries.keys()]).toEqual(
      importing.includes(text) ? ['6'] : ['1', '3', '4', '5', '6'],
    );
    for (const entry of entries.values()) await expectOnlyCover(entry);
    expect(log).toContain('it begins with "__ASTRO_IMAGE_", with which Astro marks');
  });

  // The last one is in the current folder, where Astro looks for it.
  test.each(['../../secret.png', './x.png', '/src/x.png', 'x.png', 'package.json'])(
    'in a field that the site declares as an image imports no file, and fails the load: %j',
    async (picture) => {
      await writeFile(join(site.root, 'secret.png'), 'not for the public');
      const others = { trimmed: '', joined: [], record: {}, anything: null };
      site.service.replace([
        { id: 1, title: 't', content: 'c', cover_image: null, ...others, picture },
      ]);
      const { message } = await site.loadFails({}, { schema: extended });
      expect(message).toContain('uses `image()` for the field "picture" of article "1"');
    },
  );

  it.each([...importing, ...nearly])('as a cover is a URL of the service: %j', async (cover) => {
    site.service.replace([{ id: 1, title: 't', content: 'c', cover_image: cover }]);
    const local = await site.load();
    expect(local.failure).toBeUndefined();
    expect(local.entries.get('1')?.data.cover_image ?? null).toBeNull();
    expect(local.entries.get('1')?.assetImports).toBeUndefined();
    const remote = await site.load({ images: { covers: 'remote' } });
    expect(remote.failure).toBeUndefined();
    for (const path of remote.entries.get('1')?.assetImports ?? [])
      expect(path).toMatch(/^https?:/);
  });
});

describe('HTML that Astro could mistake for an image of its own', () => {
  const image = '\n\n![a](/media/pause.gif)\n\n';
  const forged = `{&quot;src&quot;:&quot;../secret.png&quot;}`;

  test.each([
    `<p title="${mark}=">" autofocus tabindex=1 onfocus=alert(1) x="</p>`,
    `<p title='${mark}="'>" autofocus onfocus=alert(1) x="</p>`,
    `<img src="/media/gone.png" alt="${mark}=">`,
    `<img src="/media/pause.gif" alt='${mark}="{}"'>`,
    `<p ${mark}="${forged}">x</p>`,
    `<img ${mark}="${forged}">`,
    `<a title='${mark}="${forged}"' href="/x">x</a>`,
    `<p>${mark}="${forged}"</p>`,
    `\`${mark}="{&quot;src&quot;:&quot;../secret.png&quot;}"\``,
    `![${mark}="](/media/pause.gif "${mark}=&quot;")`,
    `<div title="${mark}=&quot;">&quot; onfocus=alert(1)</div>`,
  ])('is text, next to the images that the package marks: %s', async (hostile) => {
    for (const [body, from] of [
      ['remote', `src="${site.service.url}/media/pause.gif"`],
      ['local', `<img ${mark}="{&#x22;src&#x22;:`],
    ] as const) {
      const article = { content: `First.\n\n${hostile}${image}`, cover_image: null };
      const entry = await load(article, articleSchema as typeof extended, { images: { body } });
      await expectOwnFiles(entry);
      const html = entry.rendered?.html ?? '';
      expect(html).toContain(from);
      const own = body === 'local' ? html.split(from).length : 1;
      expect(html.split(`${mark}="`)).toHaveLength(own);
      for (const [, path] of html.matchAll(/__ASTRO_IMAGE_="\{&#x22;src&#x22;:&#x22;(.*?)&#x22;/g))
        expect(entry.assetImports).toContain(path);
    }
  });
});
