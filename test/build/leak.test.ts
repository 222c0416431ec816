import { expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const apiKey = 'a+key/that=must-not-be-"seen"';
const service = await useService({ apiKey, articles: makeArticles(2) });
const sites = useSites();

// That other builds contain no key is tested whenever a site is removed.
test('fails a build that writes the key into a page or a script, and names the files', async () => {
  const files = {
    'src/pages/text.astro':
      '---\nconst key = process.env.ARTICLES_API_KEY;\n---\n<p set:html={key} />',
    'src/pages/script.astro': `<p>x</p><script>console.log(${JSON.stringify(apiKey)});</script>`,
  };
  const site = await sites.create({ files, leaky: true });
  const { status, output } = await site.astro(['build'], service.env);
  expect(status).toBe(1);
  expect(output).toContain('The API key was found in the build output');
  for (const name of ['text', 'script']) expect(output).toContain(`dist/${name}/index.html`);
  expect(output).not.toContain(apiKey);
});
