import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createSite } from '../helpers/site.ts';
import type { Article } from './articles.ts';
import { valuesIn, warningsIn } from './compare.ts';

const template = fileURLToPath(new URL('../../templates/blog/', import.meta.url));
/** The page that the template has for each tag. */
const tagPages = { 'Q & A': 'q-a', C: 'c', 'C#': 'csharp', 'C++': 'cpp' };

/** Builds the template with the file of a service, and returns warnings, and what is wrong with its pages of tags. */
export async function tryTemplate(
  service: string,
  articles: readonly Article[],
  env: Record<string, string>,
): Promise<string[]> {
  const site = await createSite({
    install: 'installed',
    files: {
      'src/pages/entries.json.ts': 'export const GET = () => new Response();',
      'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
    },
  });
  try {
    await cp(template, site.root, { recursive: true });
    const config = await site.read('astro.config.mjs');
    await site.write('astro.config.mjs', config.replace('/own.ts', `/${service.toLowerCase()}.ts`));
    const problems = warningsIn(await site.build(env));
    for (const [tag, page] of Object.entries(tagPages)) {
      const html = await site.read(`dist/tags/${page}/index.html`).catch(() => '');
      const links = valuesIn(html, 'a', 'href').filter((href) => href?.startsWith('/articles/'));
      const written = articles.filter(({ isDraft, tags }) => !isDraft && tags.includes(tag));
      const [shown, expected] = [new Set(links).size, written.length];
      if (shown !== expected) {
        problems.push(`/tags/${page}/ shows ${shown} articles, and ${expected} have this tag`);
      }
    }
    return problems;
  } finally {
    await site.remove();
  }
}
