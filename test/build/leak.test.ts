import { expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const apiKey = 'a+key/that=must-not-be-"seen"';
const service = await useService({ apiKey, articles: makeArticles(2) });
const sites = useSites();

// That other builds contain no key is tested whenever a site is removed.
test.each([
  ['a page', '---\nconst key = process.env.ARTICLES_API_KEY;\n---\n<p set:html={key} />'],
  ['a script', `<p>x</p><script>console.log(${JSON.stringify(apiKey)});</script>`],
])('fails a build that writes the key into %s, and names the file', async (_, page) => {
  const site = await sites.create({ files: { 'src/pages/leak.astro': page }, leaky: true });
  const { status, output } = await site.astro(['build'], service.env);
  expect(status).toBe(1);
  expect(output).toContain('The API key was found in the build output');
  expect(output).toContain('dist/leak/index.html');
  expect(output).not.toContain(apiKey);
});
