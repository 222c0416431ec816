import { filesOf } from '../helpers/readme.ts';
import { createSite, type Site } from '../helpers/site.ts';
import { documentedOptions, translations } from '../helpers/translations.ts';

/** The URL of the site. A reserved name: no build reads the published history of slugs from it. */
export const home = 'https://www.example.com';

/** An option of the guide about images, so that the images of texts are downloaded, too. */
const localPictures = "images: { body: 'local' }";

/**
 * Creates the site of the quick start with the files that the page about translations has for a service, and the
 * options that it names.
 */
export function createTranslatedSite(service: string, url: string): Promise<Site> {
  const {
    'astro.config.mjs': config = '',
    '.env': _,
    ...quickStart
  } = filesOf('README.md', 'docs/guides/fields.md');
  const { 'src/integration.ts': integration = '', ...files } = filesOf(translations);
  const module = service.toLowerCase();
  const translation = files[`src/${module}.ts`] ?? '';
  const [, name = ''] = /export const (\w+)/.exec(translation) ?? [];
  const options = [...documentedOptions(service), localPictures].map((option) => `  ${option},\n`);
  return createSite({
    install: 'installed',
    files: {
      ...quickStart,
      [`src/${module}.ts`]: translation.replace(
        escapePattern(`https://${module}.example.com`),
        () => escapePattern(url),
      ),
      'src/integration.ts': integration
        .replace("'./wordpress'", `'./${module}'`)
        .replaceAll('fetchFromWordPress', name)
        .replace(/ {2}format: [\s\S]*(?=^\}\);$)/m, () => options.join('')),
      'astro.config.mjs': config
        .replace("articles from 'astro-articles'", "{ integration } from './src/integration.ts'")
        .replace('[articles()]', `[integration],\n  site: '${home}'`),
      'src/pages/entries.json.ts': entries,
      'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
    },
  });
}

/** Writes a URL as it is in the source of a pattern. */
function escapePattern(url: string): string {
  return url.replace(/[./]/g, '\\$&');
}

/** An entry, as the page below prints it. */
export interface Entry {
  slug: string;
  title: string;
  description: string;
  date: string;
  cover_image: { width: number; height: number } | null;
}

const entries = `import { getArticles } from 'astro-articles';

export async function GET() {
  const articles = await getArticles('articles');
  return Response.json(articles.map(({ data }) => data));
}
`;
