import { codeBlocks, filesOf, read } from '../helpers/readme.ts';
import { createSite, type Site } from '../helpers/site.ts';

const page = 'docs/start/translate.md';

/** The site is not requested there, and keeps its history of slugs in the mirror. */
export const home = 'https://www.example.com';

/** The option of the guide about images in the text, so that these are loaded, too. */
const localPictures = "images: { body: 'local' }";

/**
 * Creates the site of the quick start with the files that the page about translations has for a service, and the
 * options that it names.
 */
export function createTranslatedSite(service: string, url: string): Promise<Site> {
  const {
    '.env': _,
    'astro.config.mjs': config = '',
    'src/integration.ts': integration = '',
    ...quickStart
  } = filesOf('README.md', 'docs/guides/fields.md', page);
  const module = service.toLowerCase();
  const path = `src/${module}.ts`;
  const translation = codeBlocks(page).find((block) => block.path === path)?.code ?? '';
  const [, name = ''] = /export const (\w+)/.exec(translation) ?? [];
  const host = `https://${module}.example.com`;
  const others = /^src\/(?:strapi|wordpress|ghost|directus|payload|forem)\.ts$/;
  const shared = Object.entries(quickStart).filter(([file]) => !others.test(file));
  return createSite({
    install: 'installed',
    files: {
      ...Object.fromEntries(shared),
      [path]: translation.replace(escapePattern(host), () => escapePattern(url)),
      'src/integration.ts': integration
        .replace("'./strapi'", `'./${module}.ts'`)
        .replaceAll('fetchFromStrapi', name)
        .replace('https://strapi.example.com', url)
        .replace(/ {2}rows: .*\n/, (rows) => `${optionsFor(service) ?? rows}  ${localPictures},\n`),
      'astro.config.mjs': config
        .replace("articles from 'astro-articles'", "{ integration } from './src/integration.ts'")
        .replace('[articles()]', `[integration],\n  site: '${home}'`),
      'src/pages/entries.json.ts': entries,
      'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
    },
  });
}

/** Returns the options in the sentence of the page about a service, such as "With Ghost, `rows: 'whole'`". */
function optionsFor(service: string): string | undefined {
  const sentence = new RegExp(`[Ww]ith [^;.\`]*\\b${service}\\b([^;]*?)[;.]\\n?(?=\\s)`).exec(
    read(page),
  );
  const options = Array.from(sentence?.[1]?.matchAll(/`([^`]+)`/g) ?? [], ([, code]) => code);
  return options.length > 0 ? options.map((option) => `  ${option},\n`).join('') : undefined;
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
