// Writes docs/reference/options.md from the doc comments of the schemas. With --check it only fails when
// the page is outdated, or a `@default` is not the default of the schema.
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import * as z from 'zod';
import { siteSchema } from '../src/integration/integration-options.ts';
import { optionsSchema } from '../src/options/options.ts';

interface Row {
  name: string;
  values: string;
  byDefault: string;
  text: string;
}

const page = new URL('./reference/options.md', import.meta.url);
const loaderRows = rowsOf(optionsSchema, '../src/options/options.ts');
const siteRows = rowsOf(siteSchema, '../src/integration/integration-options.ts');
const text = `# Options

Every option of \`articles()\`, \`articlesCollection()\` and \`articlesLoader()\`. Options of a loader win over those of the integration, which win over the environment. Times are in milliseconds, sizes in bytes.

Unknown options and invalid values are reported before any request.

${tableOf(loaderRows)}

## For \`articles()\` only

${tableOf(siteRows)}

## Environment

| variable | meaning |
| --- | --- |
| \`ARTICLES_BASE_URL\` | \`baseUrl\` |
| \`ARTICLES_API_KEY\` | \`apiKey\` |
| \`ARTICLES_OFFLINE\` | \`offline\`: \`1\` or \`0\` |
| \`ARTICLES_REFRESH_SECRET\` | \`refresh.secret\` |

The variables are read from the environment and from the \`.env\` files of the site. The environment wins.
`;

const wrong = [...loaderRows, ...siteRows].filter(({ byDefault }) => byDefault.startsWith('!'));
for (const { name, byDefault } of wrong) fail(`\`${name}\`: ${byDefault.slice(1)}`);
if (!process.argv.includes('--check')) writeFileSync(page, text);
else if (readFileSync(page, 'utf8') !== text) {
  fail('docs/reference/options.md is outdated. Run `node docs/generate-options.ts`.');
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, values, byDefault, text }) => `| \`${name}\` | ${values} | ${byDefault} | ${text} |`,
  );
  return ['| option | values | default | |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

/** Joins the fields of a schema with the comments of its source. */
function rowsOf(schema: z.ZodObject, file: string): Row[] {
  const url = new URL(file, import.meta.url);
  const source = ts.createSourceFile(
    url.href,
    readFileSync(url, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const comments = new Map<string, { text: string; byDefault: string | undefined }>();
  const literal = findObject(source, Object.keys(schema.shape));
  if (literal) collectComments(literal, comments);
  return fieldsOf(schema).map(([name, field]) => {
    const comment = comments.get(name);
    if (!comment) throw new Error(`\`${name}\` has no doc comment.`);
    const byDefault = describeDefault(field, comment.byDefault);
    return { name, values: describeValues(unwrap(field)), byDefault, text: comment.text };
  });
}

/** Finds the object literal with certain keys, in the order of the source. */
function findObject(
  node: ts.Node,
  keys: readonly string[],
): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node)) {
    const names = node.properties.map((property) => property.name?.getText());
    if (keys.every((key) => names.includes(key))) return node;
  }
  return ts.forEachChild(node, (child) => findObject(child, keys));
}

function collectComments(
  literal: ts.ObjectLiteralExpression,
  comments: Map<string, { text: string; byDefault: string | undefined }>,
  parent = '',
): void {
  for (const property of literal.properties) {
    const name = `${parent}${property.name?.getText()}`;
    const doc = ts.getJSDocCommentsAndTags(property).find(ts.isJSDoc);
    const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default');
    const flat = (node: ts.JSDoc | ts.JSDocTag | undefined) =>
      ts.getTextOfJSDocComment(node?.comment)?.replace(/\s+/g, ' ').replaceAll('|', '\\|');
    if (doc) comments.set(name, { text: flat(doc) ?? '', byDefault: flat(tag) });
    const inner = ts.forEachChild(property, firstObject);
    if (inner) collectComments(inner, comments, `${name}.`);
  }
}

function firstObject(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  const isSchema =
    ts.isObjectLiteralExpression(node) &&
    node.properties.some((property) => ts.getJSDocCommentsAndTags(property).length > 0);
  return isSchema ? node : ts.forEachChild(node, firstObject);
}

/** Lists the options with their paths: a group is replaced by its fields, a union keeps its own row. */
function fieldsOf(schema: z.ZodObject, parent = ''): [name: string, field: z.core.$ZodType][] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const name = `${parent}${key}`;
    const plain = unwrap(field);
    if (plain instanceof z.ZodObject) return fieldsOf(plain, `${name}.`);
    const group = plain instanceof z.ZodUnion ? plain.options.find(isObject) : undefined;
    return [[name, field], ...(group ? fieldsOf(group, `${name}.`) : [])];
  });
}

function isObject(schema: unknown): schema is z.ZodObject {
  return schema instanceof z.ZodObject;
}

function unwrap(field: unknown): unknown {
  const isWrapper =
    field instanceof z.ZodOptional ||
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault;
  return isWrapper ? unwrap(field.unwrap()) : field;
}

function describeValues(field: unknown): string {
  if (field instanceof z.ZodNumber) return `${shown(field.minValue)} to ${shown(field.maxValue)}`;
  if (field instanceof z.ZodString) return 'string';
  if (field instanceof z.ZodBoolean) return '`true`, `false`';
  if (field instanceof z.ZodEnum) return field.options.map((each) => `\`'${each}'\``).join(', ');
  if (field instanceof z.ZodLiteral) return [...field.values].map((each) => `\`'${each}'\``).join();
  if (field instanceof z.ZodCustom) return 'function';
  if (field instanceof z.ZodArray) return 'list of strings';
  if (field instanceof z.ZodUnion) return field.options.map(describeValues).join(', ');
  return 'object';
}

/** Compares the documented default with that of the schema. */
function describeDefault(field: unknown, documented: string | undefined): string {
  if (!(field instanceof z.ZodDefault)) return documented ?? 'none';
  const value = JSON.stringify(field.parse(undefined)).replaceAll('"', "'");
  const [written, ...rest] = documented?.split(',') ?? [];
  const isSame = written?.replaceAll('_', '') === value;
  return isSame ? [`\`${value}\``, ...rest].join() : `!documented as ${documented}, but ${value}`;
}

function shown(value: number | null): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
