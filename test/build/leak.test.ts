import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site, type SiteOptions } from '../helpers/site.ts';

const key = 'a+key/that=must-not-be-"seen"';
let service: FixtureService;
let site: Site;

beforeAll(async () => {
  service = await startService({ apiKey: key, articles: makeArticles(2) });
});
afterEach(() => site.remove());
afterAll(() => service.close());

async function build(options: SiteOptions) {
  site = await createSite(options);
  return site.astro(['build'], { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: key });
}

const page = (code: string) => ({ 'src/pages/leak.astro': code });

it.each([
  [
    'a page',
    page(`---\nconst key = process.env.ARTICLES_API_KEY;\n---\n<p set:html={key} />`),
    'dist/leak/index.html',
  ],
  [
    'a script',
    page(`<p>x</p><script>console.log(${JSON.stringify(key)});</script>`),
    'dist/leak/index.html',
  ],
  [
    'a link',
    page(
      `---\nconst key = encodeURIComponent(process.env.ARTICLES_API_KEY);\n---\n<a href={'/?k=' + key}>x</a>`,
    ),
    'dist/leak/index.html',
  ],
])('ends a build that writes the key into %s, and names the file', async (_, files, file) => {
  const { status, output } = await build({ files, leaky: true });
  expect(status).toBe(1);
  expect(output).toContain('The API key stands in what was built');
  expect(output).toContain(file);
  expect(output).not.toContain(key);
});

it('lets a build pass that does not', async () => {
  // What it wrote and printed is searched when the site is removed.
  expect(await build({})).toMatchObject({ status: 0 });
});
