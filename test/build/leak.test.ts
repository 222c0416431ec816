import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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

test.each([
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
])('fails a build that writes the key into %s, and names the file', async (_, files, file) => {
  const { status, output } = await build({ files, leaky: true });
  expect(status).toBe(1);
  expect(output).toContain('The API key was found in the build output');
  expect(output).toContain(file);
  expect(output).not.toContain(key);
});

test('lets other builds pass', async () => {
  // The output is searched when the site is removed.
  expect(await build({})).toMatchObject({ status: 0 });
});
