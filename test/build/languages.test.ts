import { beforeAll, expect, it } from 'vitest';
import { createGuide } from '../helpers/documented-site.ts';
import { codeBlocks, filesOf } from '../helpers/readme.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const guide = 'docs/guides/languages.md';
const text = { content: 'Text.', cover_image: null };
const articles = [
  { ...text, id: 'gezeiten', title: 'Gezeiten', language: 'de', translation_of: 'tides' },
  { ...text, id: 'nur-deutsch', title: 'Nur deutsch', language: 'de' },
  { ...text, id: 'tides', title: 'Tides', language: 'en' },
  { ...text, id: 'plain', title: 'No language' },
];
const service = await useService({ articles });
const { keep } = useSites();
let site: Site;

beforeAll(async () => {
  site = await keep(createGuide(guide, { 'src/layouts/Page.astro': changedLayout() }));
  await site.build(service.env);
  await site.check(service.env);
});

/** Returns the layout of the quick start with the change that the guide shows. */
function changedLayout(): string {
  const { 'src/layouts/Page.astro': layout = '' } = filesOf('README.md');
  const change = codeBlocks(guide).find(({ language }) => language === 'diff')?.code ?? '';
  const [before = '', after = ''] = change.split('\n').map((line) => line.slice(1));
  expect(layout).toContain(before);
  return layout.replace(before, after);
}

const valuesIn = (html: string, pattern: RegExp) =>
  Array.from(html.matchAll(pattern), ([, ...values]) => values.join(' '));

it('each language lists its articles, in pages with its language', async () => {
  const lists = { en: 'articles/index.html', de: 'de/articles/index.html' };
  const expected = {
    en: ['/articles/tides/', '/articles/plain/'],
    de: ['/de/articles/gezeiten/', '/de/articles/nur-deutsch/'],
  };
  for (const language of ['en', 'de'] as const) {
    const html = await site.read(`dist/${lists[language]}`);
    expect(html).toContain(`<html lang="${language}"`);
    expect(valuesIn(html, /<a href="([^"]*)"/g)).toEqual(expected[language]);
  }
});

it('translations name each other, and an article without one names only itself', async () => {
  const both = [
    'de https://www.example.com/de/articles/gezeiten/',
    'en https://www.example.com/articles/tides/',
  ];
  const alternates = /<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g;
  const tides = await site.read('dist/articles/tides/index.html');
  const gezeiten = await site.read('dist/de/articles/gezeiten/index.html');
  expect(valuesIn(tides, alternates)).toEqual(both);
  expect(valuesIn(gezeiten, alternates)).toEqual(both);
  expect(valuesIn(tides, /<a href="([^"]*)" hreflang="([^"]*)"/g)).toEqual([
    '/de/articles/gezeiten/ de',
  ]);
  expect(gezeiten).toContain('"inLanguage":"de"');
  const alone = await site.read('dist/de/articles/nur-deutsch/index.html');
  expect(valuesIn(alone, alternates)).toEqual([
    'de https://www.example.com/de/articles/nur-deutsch/',
  ]);
  expect(valuesIn(alone, /<a href="([^"]*)" hreflang="([^"]*)"/g)).toEqual([]);
});
