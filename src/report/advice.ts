import type { Notice } from '../errors.ts';
import { withTag } from '../html/attributes.ts';
import type { RenderedVersion, Version } from '../load/article-version.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isRefusedTag } from '../shared/refused-names.ts';
import type { SanitizeOption } from '../shared/sanitize-option.ts';

const maxNames = 20;
/** Dropped parts, those first that a reader of the article misses most. All others are before `data-` attributes. */
const ranks = [
  /^iframe(?! on )/,
  /^</,
  /^src(?= |$)/,
  /^href(?= |$)/,
  /^style(?= |$)/,
  /^(?!data-)/,
];
/** Attributes that the advice does not name: `name` and `data-` attributes are read by scripts, and `inert` disables links. */
const notAdvised = /^(?:name$|inert$|data-)/;
/** Seconds of processor time of a rendering that is reported. On a busy machine, a clock would report others, too. */
const slowRendering = 2;
/** Astro's store of usual articles reaches the longest string of JavaScript at about 13,000. */
export const tooManyArticles = 10_000;

/** Returns what the owner of a site should know of the articles that a load shows. */
export function adviceOf(
  versions: readonly Version[],
  { bodies, sanitize }: Pick<ResolvedOptions, 'bodies' | 'sanitize'>,
) {
  const rendered = versions.flatMap((version) => ('leftOut' in version ? [] : version));
  const broken = versions.flatMap(frontMatterNotices);
  const slow = rendered.flatMap(slowNotices);
  const notices = [
    ...slow,
    ...broken,
    droppedNotice(rendered, sanitize),
    formatNotice(rendered),
    listedNotice(sanitize),
  ];
  if (bodies === 'store' && rendered.length >= tooManyArticles) {
    const text =
      `This collection has ${rendered.length} articles, and Astro's content store fails at about 13,000 of usual ` +
      "length. Set `bodies: 'mirror'`, and render entries with `<ArticleBody>`.";
    notices.push({ kind: 'other', ids: [], text });
  }
  return notices.filter((notice) => notice !== undefined);
}

/** Describes the front matter of an article that could not be read. */
function frontMatterNotices(version: Version): Notice[] {
  const { article } = version;
  const reason =
    'leftOut' in version ? version.brokenFrontMatter : article.renderings[0]?.brokenFrontMatter;
  if (!reason) return [];
  const text = `its front matter is not shown and has no fields, because of ${reason}. Correct it in the service`;
  return [{ kind: 'field', ids: [article.id], field: 'content', text }];
}

function slowNotices({ article: { id }, seconds = 0 }: RenderedVersion): Notice[] {
  if (seconds <= slowRendering) return [];
  const time = `Rendering article ${quote(id)} took ${seconds.toFixed(1)} s of processor time.`;
  const advice = 'Divide its longest paragraphs with blank lines, or divide the article.';
  return [{ kind: 'other', ids: [id], text: `${time} ${advice}` }];
}

/** Describes articles that look like HTML and were rendered as Markdown, if most do. */
function formatNotice(versions: readonly RenderedVersion[]): Notice | undefined {
  const ids = versions.flatMap(({ likeHtml, article }) => (likeHtml ? article.id : []));
  const rendered = versions.filter(({ text }) => text).length;
  if (ids.length === 0 || ids.length <= rendered / 2) return undefined;
  const text =
    `The content of articles looks like HTML (${joinSome(ids.map(quote))}), and is rendered as Markdown. ` +
    "Set `format: 'html'`.";
  return { kind: 'other', ids, text };
}

/** Returns a name or host as a text of JavaScript. A URL may have quotes in its host. */
function codeOf(name: string): string {
  return /^[a-z\d.*-]+$/.test(name) ? `'${name}'` : quote(name);
}

/** Warns of attributes in `sanitize.attributes` by which an article reaches the scripts of a site. */
function listedNotice(sanitize: SanitizeOption): Notice | undefined {
  const { attributes = {} } = typeof sanitize === 'object' ? sanitize : {};
  const listed = new Set(Object.values(attributes).flat());
  const sentences = [
    listed.has('name') &&
      '`sanitize.attributes` lists `name`, by which an article can replace what scripts of the site read, such as ' +
        '`document.cookie` by `<img name="cookie">`.',
    listed.has('id') &&
      '`sanitize.attributes` lists `id`, which has no effect: ids stay on headings, footnotes and targets of links within ' +
        'an article, because scripts and styles of the site may use any other one.',
  ].filter(Boolean);
  if (sentences.length === 0) return undefined;
  return { kind: 'other', ids: [], text: `${sentences.join(' ')} Remove it from the list.` };
}

function rankOf(part: string): number {
  const rank = ranks.findIndex((pattern) => pattern.test(part));
  return rank < 0 ? ranks.length : rank;
}

/** An attribute of elements with a tag, or of all with `*`. */
interface ListedAttribute {
  tag: string;
  name: string;
}

/** Returns the option with what it allows now, and more, as code that can be copied. */
function optionWith(
  sanitize: SanitizeOption,
  more: { hosts?: readonly string[]; attributes: readonly ListedAttribute[] },
): string {
  const now = typeof sanitize === 'object' ? sanitize : {};
  const listed = Object.entries(now.attributes ?? {}).flatMap(([tag, names]) =>
    names.map((name) => ({ tag, name })),
  );
  const byTag = Map.groupBy([...listed, ...more.attributes], ({ tag }) => tag);
  const lists = [...byTag].map(
    ([tag, group]) => `${codeOf(tag)}: ${listOf(group.map(({ name }) => name))}`,
  );
  const fields = [
    ...fieldOf('iframes', [...(now.iframes ?? []), ...(more.hosts ?? [])]),
    ...fieldOf('tags', now.tags ?? []),
    ...(lists.length > 0 ? [`attributes: { ${lists.join(', ')} }`] : []),
  ];
  return `\`sanitize: { ${fields.join(', ')} }\``;
}

/** Advises the option that keeps dropped frames and attributes. */
function allowAdvice(parts: readonly string[], sanitize: SanitizeOption): string[] {
  const hosts = parts.flatMap((part) => /^iframe (\S+)$/.exec(part)?.[1] ?? []);
  const attributes = parts.flatMap((part) => {
    const [, name = '', tag = ''] = /^([a-z\d-]+) on ([a-z\d-]+)$/.exec(part) ?? [];
    return name === '' || notAdvised.test(name) ? [] : { tag, name };
  });
  const kinds = [hosts.length > 0 && 'frames', attributes.length > 0 && 'attributes'];
  const kept = kinds.filter(Boolean).join(' and ');
  if (kept === '') return [];
  const option = optionWith(sanitize, { hosts, attributes: attributes.slice(0, maxNames) });
  const rest = attributes.length - maxNames;
  const more = rest > 0 ? `, and ${rest} more can be listed there` : '';
  return [`${option} keeps ${kept}${more}.`];
}

function fieldOf(name: string, values: readonly string[]): string[] {
  return values.length > 0 ? [`${name}: ${listOf(values)}`] : [];
}

function listOf(values: readonly string[]): string {
  return `[${[...new Set(values)].map(codeOf).join(', ')}]`;
}

/** Describes in one notice the HTML that was dropped from articles, and the option that keeps it. */
function droppedNotice(
  versions: readonly RenderedVersion[],
  sanitize: SanitizeOption,
): Notice | undefined {
  const dropped = versions.flatMap(({ article: { id, renderings } }) =>
    (renderings[0]?.dropped ?? []).map((part) => ({ id, part })),
  );
  if (dropped.length === 0) return undefined;
  const names = [...new Set(dropped.map(({ part }) => part))].sort();
  const parts = names.toSorted((a, b) => rankOf(a) - rankOf(b));
  const ids = [...new Set(dropped.map(({ id }) => id))];
  const noun = ids.length === 1 ? 'article' : 'articles';
  const sentences = [
    `HTML that is not allowed was dropped (${joinSome(parts, maxNames)}) from ${noun} ${joinSome(ids)}.`,
  ];
  // Its list has no exceptions.
  if (sanitize === 'strict') return { kind: 'other', ids, text: sentences.join(' ') };
  sentences.push(...allowAdvice(parts, sanitize));
  if (parts.some((part) => part.endsWith(withTag))) {
    const attributes = ['alt', 'title'].map((name) => ({ tag: '*', name }));
    const option = optionWith(sanitize, { attributes });
    sentences.push(
      `Some script libraries read \`title\` and \`alt\` as HTML. If yours do not, ${option} keeps them.`,
    );
  }
  if (parts.some((part) => /^<[^<> ]+>$/.test(part) && !isRefusedTag(part.slice(1, -1)))) {
    sentences.push(
      '`sanitize: { tags }` keeps elements that are named there, except those that run script or embed a page.',
    );
  }
  return { kind: 'other', ids, text: sentences.join(' ') };
}
