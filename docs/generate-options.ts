// Writes docs/reference/options.md from the comments of the types of options, as editors show them, and from the ranges
// of their schemas. With --check it only fails when the page is outdated, or a `@default` is not that of the schema.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as z from 'zod';
import { loaderOptionsSchema } from '../src/content/articles-loader.ts';
import { integrationSchema } from '../src/integration/integration-options.ts';

interface Row {
  name: string;
  /** The values of a choice, if its text does not name them. */
  values: string | undefined;
  byDefault: string;
  text: string;
}

/** Example values of options whose text shows none. */
const examples: Record<string, string> = {
  'sanitize.tags': "['output']",
  'sanitize.attributes': "{ a: ['download'] }",
  'sanitize.iframes': "['www.youtube-nocookie.com']",
  query: "{ status: 'published' }",
  transform: "(article) => (article.status === 'published' ? article : undefined)",
  with: "glob({ pattern: '**/*.md', base: './src/blog' })",
};

/** The options in the order of the page. */
const groups: Record<string, string> = {
  Service: 'baseUrl apiKey query fetch pageSize concurrency timeout retries',
  Listing: 'rows rows.changedBy order newest',
  'Articles and their text':
    'format transform drafts entryId bodies with sanitize sanitize.tags sanitize.attributes sanitize.iframes links',
  Images: 'images.covers images.body images.maxBytes',
  'Failures and files': 'failOn mirrorDir',
  'Only in articles()': 'redirects refresh',
};

const rows = [
  ...rowsOf(loaderOptionsSchema, 'src/content/articles-loader.ts', 'ArticlesLoaderOptions'),
  ...rowsOf(
    integrationSchema,
    'src/integration/integration-options.ts',
    'ArticlesIntegrationOptions',
  ),
];
const allRows = new Map(rows.map((row) => [row.name, row]));
const detailsOf = (name: string) => [...allRows.values()].filter((row) => row.name === name);
const grouped = Object.entries(groups).map(([title, names]) => ({
  title,
  rows: names.split(' ').flatMap(detailsOf),
}));
const text = `# Options

Every option of \`articles()\` and \`articlesLoader()\`. Most sites need none. Options of a loader win over those of the integration, which win over the environment. The *listing* is the service's list of articles, with a *row* for each; the *mirror* is the package's copy of all articles. Times are in milliseconds, sizes in bytes.

${grouped.map(({ title, rows }) => `## ${title}\n\n${tableOf(rows)}`).join('\n\n')}

## Environment

| variable | meaning |
| --- | --- |
| \`ARTICLES_BASE_URL\` | \`baseUrl\` |
| \`ARTICLES_API_KEY\` | \`apiKey\` |
| \`ARTICLES_OFFLINE\` | \`1\`: sends no request, and builds from the mirror |
| \`ARTICLES_ALLOW_REMOVAL\` | \`1\`: one build may remove most articles, and the former paths of what is gone, and of collections that it does not have; never read from \`.env\` |
| \`ARTICLES_REFRESH_SECRET\` | the secret of requests that refresh \`astro dev\` |
| \`ARTICLES_DEBUG\` | \`1\`: says why articles are not shown, which HTML was removed, and what suits the service; never read from \`.env\` |
| \`ARTICLES_REDIRECTS\` | \`best-effort\`: a build continues without the published paths if it cannot read them |

The variables are read from the environment and from the \`.env\` files of the site. The environment wins.

## Details

${grouped.flatMap(({ rows }) => rows.flatMap((row) => sectionOf(row) ?? [])).join('\n\n')}
`;

const missing = [...allRows.keys()].filter(
  (name) => !grouped.some(({ rows }) => rows.some((row) => row.name === name)),
);
if (missing.length > 0)
  fail(`Add to \`groups\` in docs/generate-options.ts: ${missing.join(', ')}`);
const wrong = [...allRows.values()].filter(({ byDefault }) => byDefault.startsWith('!'));
for (const { name, byDefault } of wrong) fail(`\`${name}\`: ${byDefault.slice(1)}`);
update('docs/reference/options.md', text);

function update(path: string, content: string): void {
  const file = new URL(`../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, content);
  else if (readFileSync(file, 'utf8') !== content) {
    fail(`${path} is outdated. Run \`node docs/generate-options.ts\`.`);
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Returns a table with the first sentence about each option, which links to its section if it has one. */
function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const name = `\`${row.name}\``;
    const link = sectionOf(row)
      ? `[${name}](#${row.name.toLowerCase().replaceAll('.', '')})`
      : name;
    return `| ${link} | ${sentencesOf(row.text)[0]} | ${row.byDefault} |`;
  });
  return ['| option | meaning | default |', '| --- | --- | --- |', ...lines].join('\n');
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.])\s+(?=[A-Z`'{])/);
}

/** Returns the section of an option: what the table does not say. It is undefined if that is nothing. */
function sectionOf({ name, values, text }: Row): string | undefined {
  const [, ...more] = sentencesOf(text);
  const where = name === 'with' ? 'articlesLoader' : 'articles';
  const example = examples[name];
  const parts = [
    [...(values ? [`${values}.`] : []), ...more].join(' '),
    example && `\`\`\`js\n${where}(${nested(name, example)});\n\`\`\``,
  ].filter(Boolean);
  return parts.length > 0 ? [`### \`${name}\``, ...parts].join('\n\n') : undefined;
}

/** Writes the options object that sets one option: `{ images: { body: 'local' } }`. */
function nested(name: string, value: string): string {
  return name.split('.').reduceRight((inner, key) => `{ ${key}: ${inner} }`, value);
}

interface Comment {
  text: string;
  byDefault: string | undefined;
}

/** Joins the fields of a schema with the comments of an interface. */
function rowsOf(schema: z.core.$ZodObject, file: string, name: string): Row[] {
  const comments = commentsOf(file, name);
  return fieldsOf(schema).map(([name, field]) => {
    const comment = comments.get(name);
    if (!comment) throw new Error(`\`${name}\` has no doc comment.`);
    const plain = unwrap(field);
    const range = plain instanceof z.core.$ZodNumber ? ` (${rangeOf(plain)})` : '';
    const byDefault = `${describeDefault(field, comment.byDefault)}${range}`;
    const choices = plain instanceof z.core.$ZodEnum ? choicesOf(plain) : [];
    const isNamed = choices.every((choice) => comment.text.includes(choice));
    const values = isNamed ? undefined : choices.join(' or ');
    return { name, values, byDefault, text: comment.text };
  });
}

/** Returns the comments of the properties of an interface, and of the interfaces that they may be, by their paths. */
function commentsOf(file: string, name: string): Map<string, Comment> {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const { options } = ts.parseJsonConfigFileContent(
    { extends: './tsconfig.json' },
    ts.sys,
    fileURLToPath(new URL('..', import.meta.url)),
  );
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const comments = new Map<string, Comment>();
  const flat = (parts: ts.SymbolDisplayPart[] | undefined) =>
    parts && ts.displayPartsToString(parts).replace(/\s+/g, ' ').replaceAll('|', '\\|');

  function collect(type: ts.Type, parent: string): void {
    for (const property of type.getProperties()) {
      const text = flat(property.getDocumentationComment(checker));
      // Properties of other packages and of the language are not options.
      if (!text || !property.declarations?.some(isOfProject)) continue;
      const tag = property.getJsDocTags(checker).find(({ name }) => name === 'default');
      comments.set(parent + property.name, { text, byDefault: flat(tag?.text) });
      const inner = checker.getNonNullableType(checker.getTypeOfSymbol(property));
      for (const each of inner.isUnion() ? inner.types : [inner])
        if (each.isClassOrInterface()) collect(each, `${parent}${property.name}.`);
    }
  }

  const source = program.getSourceFile(path);
  const symbol =
    source && checker.getSymbolAtLocation(source)?.exports?.get(ts.escapeLeadingUnderscores(name));
  if (!symbol) throw new Error(`${file} does not export ${name}.`);
  collect(checker.getDeclaredTypeOfSymbol(symbol), '');
  return comments;
}

function isOfProject(node: ts.Node): boolean {
  return !/[\\/]node_modules[\\/]/.test(node.getSourceFile().fileName);
}

/** Lists the options with their paths: a group is replaced by its fields, a union keeps its own row. */
function fieldsOf(
  schema: z.core.$ZodObject,
  parent = '',
): [name: string, field: z.core.$ZodType][] {
  return Object.entries(schema._zod.def.shape).flatMap(([key, field]) => {
    const name = `${parent}${key}`;
    const plain = unwrap(field);
    if (plain instanceof z.core.$ZodObject) return fieldsOf(plain, `${name}.`);
    const group =
      plain instanceof z.core.$ZodUnion ? plain._zod.def.options.find(isObject) : undefined;
    return [[name, field], ...(group ? fieldsOf(group, `${name}.`) : [])];
  });
}

function isObject(schema: unknown): schema is z.core.$ZodObject {
  return schema instanceof z.core.$ZodObject;
}

function unwrap(field: unknown): unknown {
  const isWrapper =
    field instanceof z.core.$ZodOptional ||
    field instanceof z.core.$ZodDefault ||
    field instanceof z.core.$ZodPrefault;
  return isWrapper ? unwrap(field._zod.def.innerType) : field;
}

/** Returns the number that a check compares with. */
function limitOf({ _zod }: z.core.$ZodNumber, check: 'greater_than' | 'less_than'): number {
  const found = _zod.def.checks?.find((each) => each._zod.def.check === check);
  return Number(Reflect.get(found?._zod.def ?? {}, 'value'));
}

function rangeOf(field: z.core.$ZodNumber): string {
  return `${shown(limitOf(field, 'greater_than'))} to ${shown(limitOf(field, 'less_than'))}`;
}

function choicesOf(field: z.core.$ZodEnum): string[] {
  return [...field._zod.values].map((value) => `\`'${value}'\``);
}

/** Compares the documented default with that of the schema. */
function describeDefault(field: unknown, documented: string | undefined): string {
  if (!(field instanceof z.core.$ZodDefault)) return documented ?? 'none';
  const value = JSON.stringify(field._zod.def.defaultValue).replaceAll('"', "'");
  // A list, which has commas itself.
  if (documented?.replaceAll(' ', '') === value) return `\`${documented}\``;
  const [written, ...rest] = documented?.split(',') ?? [];
  const isSame = written?.replaceAll('_', '') === value;
  return isSame ? [`\`${written}\``, ...rest].join() : `!documented as ${documented}, but ${value}`;
}

function shown(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
