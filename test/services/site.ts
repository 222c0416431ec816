import { filesOf } from '../helpers/readme.ts';
import { createSite, type Site } from '../helpers/site.ts';
import { translations } from '../helpers/translations.ts';

/** The URL of the site. A reserved name: no build reads the published history of paths from it. */
export const home = 'https://www.example.com';

/** An option of the guide about images, so that the images of texts are downloaded, too. */
const localPictures = "images: { body: 'local' }";

/** Creates the site of the quick start with the file that the page about translations has for a service. */
export function createTranslatedSite(
  service: string,
  germanQuery?: Readonly<Record<string, string>>,
): Promise<Site> {
  const {
    'astro.config.mjs': config = '',
    '.env': _,
    'src/content.config.ts': collections = '',
    ...quickStart
  } = filesOf('README.md', 'docs/guides/fields.md');
  const module = `services/${service.toLowerCase()}.ts`;
  const { [module]: translation = '' } = filesOf(translations);
  return createSite({
    install: 'installed',
    files: {
      ...quickStart,
      [module]: translation,
      'src/content.config.ts': germanQuery
        ? collections.replace(
            '{ articles }',
            `{ articles, german: ${germanCollection(germanQuery)} }`,
          )
        : collections,
      'src/pages/german.json.ts': entriesOf(germanQuery ? 'german' : 'articles'),
      'astro.config.mjs': config
        .replace('\n\n', `\nimport { service } from './${module}';\n\n`)
        .replace(
          '[articles()]',
          `[articles({ ...service, ${localPictures} })],\n  site: '${home}'`,
        ),
      'src/pages/entries.json.ts': entriesOf('articles'),
      'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
    },
  });
}

/** An entry, as the page below prints it. */
export interface Entry {
  slug: string;
  title: string;
  description: string;
  tags: string[];
  author?: string;
  date: string;
  cover_image: { src: string; width: number; height: number } | null;
}

/** Returns the collection of German articles, as the page about languages has it. */
function germanCollection(query: Readonly<Record<string, string>>): string {
  return `defineCollection({ loader: articlesLoader({ query: ${JSON.stringify(query)} }) })`;
}

const entriesOf = (collection: string) => `import { getArticles } from 'astro-articles';

export async function GET() {
  const articles = await getArticles('${collection}');
  return Response.json(articles.map(({ data }) => data));
}
`;
