import type { Element, Root } from 'hast';
import { type Schema, sanitize as sanitizeTree } from 'hast-util-sanitize';
import { find, html } from 'property-information';
import { visit } from 'unist-util-visit';

/** What articles may contain beyond the default. */
export interface Widening {
  /** Elements, by tag name. */
  tags?: readonly string[] | undefined;
  /** Attributes, by tag name or `*`, as HTML writes them. */
  attributes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Hosts whose pages may be embedded with an `<iframe>`. */
  iframes?: readonly string[] | undefined;
}

/** All that an article may contain beyond what the lists here name. */
export interface Allowance extends Widening {
  /** The highlighter's colour themes: their names are classes of its code blocks. */
  themes?: ReadonlySet<string> | undefined;
}

const tagNames =
  'a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em ' +
  'figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture pre q rp rt ruby ' +
  's samp section small source span strong sub summary sup table tbody td tfoot th thead time tr ' +
  'track u ul var video audio wbr';

const attributes: NonNullable<Schema['attributes']> = {
  '*': [
    'id',
    'className',
    'style',
    'title',
    'lang',
    'dir',
    'ariaLabel',
    'ariaDescribedBy',
    'ariaHidden',
  ],
  a: ['href', 'rel', 'target', 'dataFootnoteRef', 'dataFootnoteBackref'],
  audio: ['src', 'controls', 'loop', 'muted', 'preload'],
  blockquote: ['cite'],
  col: ['span'],
  colgroup: ['span'],
  del: ['cite', 'dateTime'],
  details: ['open'],
  img: ['src', 'srcSet', 'sizes', 'alt', 'width', 'height', 'loading', 'decoding'],
  input: [['type', 'checkbox'], ['disabled', true], 'checked'],
  ins: ['cite', 'dateTime'],
  li: ['value'],
  ol: ['start', 'reversed', ['type', '1', 'a', 'A', 'i', 'I']],
  pre: ['tabIndex', 'dataLanguage'],
  q: ['cite'],
  section: ['dataFootnotes'],
  source: ['src', 'srcSet', 'sizes', 'type', 'media'],
  td: ['align', 'colSpan', 'rowSpan', 'headers'],
  th: ['align', 'colSpan', 'rowSpan', 'headers', 'scope'],
  time: ['dateTime'],
  track: ['src', 'kind', 'srcLang', 'label'],
  video: [
    'src',
    'poster',
    'controls',
    'loop',
    'muted',
    'playsInline',
    'preload',
    'width',
    'height',
  ],
};

// The classes that Markdown and Shiki themselves make. Any other is a style of the site, and some
// styles cover the page.
const className =
  /^(?:language-.+|contains-task-list|task-list-item|footnotes|sr-only|data-footnote-backref|astro-code.*|shiki|line|math|math-inline|math-display)$/;
// What Prism calls the parts of code.
const tokens = new Set(
  (
    'token atrule attr-name attr-value bold boolean builtin cdata char class-name comment constant ' +
    'deleted doctype entity function important inserted interpolation italic keyword namespace number ' +
    'operator parameter prolog property punctuation regex rule selector string symbol tag ' +
    'template-string title url variable'
  ).split(' '),
);
const styleProperty =
  /^(?:--shiki-[\w-]+|(?:background-)?color|font-(?:style|weight)|text-(?:align|decoration)|overflow-x|user-select|white-space|word-wrap)$/;
const styleValue = /^[\w\s#%.,()-]+$/;
const rasterData = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z0-9+/=\s]*$/i;

/**
 * Keeps of an article's HTML what Markdown and Astro's pipeline make, and drops what could run a
 * script, ask for input, or cover the page. It works on the parsed tree: what a browser would make
 * of the markup is what is judged.
 */
export function sanitize(tree: Root, allowance: Allowance = {}): Root {
  visit(tree, 'element', (element, index, parent) => {
    if (element.tagName === 'iframe') {
      const frame = frameAddress(element, allowance);
      if (!frame) {
        if (parent && index !== undefined) parent.children.splice(index, 1);
        return index;
      }
      element.properties.src = frame;
    }
    tidy(element, allowance);
    return undefined;
  });
  const clean = sanitizeTree(tree, schemaOf(allowance));
  return clean.type === 'root' ? clean : { type: 'root', children: [] };
}

/** Takes out of an element's attributes what an allow-list of names cannot tell. */
function tidy({ tagName, properties }: Element, allowance: Allowance): void {
  const { style, className: classes, src } = properties;
  if (typeof style === 'string' && !isWidened('style', tagName, allowance)) {
    setOrDrop(properties, 'style', safeStyle(style));
  }
  if (Array.isArray(classes) && !isWidened('class', tagName, allowance)) {
    const kept = classes.filter((name) => isKnownClass(tagName, String(name), allowance));
    setOrDrop(properties, 'className', kept);
  }
  const isData = typeof src === 'string' && /^\s*data:/i.test(src);
  if (isData && !(tagName === 'img' && rasterData.test(src))) delete properties.src;
  // A link with an id becomes a variable of the page, and reads as its address there: a script of the
  // site that looks for its settings by that name would take them from the article.
  if (tagName === 'a' && properties.href !== undefined && !isFootnote(properties.id)) {
    delete properties.id;
  }
  // A page that is opened must not be able to reach the one that opened it.
  if (tagName === 'a' && properties.target !== undefined) properties.rel = ['noopener'];
}

/** The ids by which footnotes and their marks find each other. */
function isFootnote(id: unknown): boolean {
  return String(id).startsWith('user-content-');
}

function isKnownClass(tagName: string, name: string, { themes }: Allowance): boolean {
  if (className.test(name)) return true;
  return (tagName === 'span' && tokens.has(name)) || (tagName === 'pre' && !!themes?.has(name));
}

function isWidened(
  attribute: string,
  tagName: string,
  { attributes: more = {} }: Widening,
): boolean {
  return [tagName, '*'].some((tag) => Object.hasOwn(more, tag) && more[tag]?.includes(attribute));
}

function setOrDrop(
  properties: Element['properties'],
  name: string,
  value: string | (string | number)[],
) {
  if (value.length > 0) properties[name] = value;
  else delete properties[name];
}

function safeStyle(style: string): string {
  const kept = style.split(';').filter((declaration) => {
    const [property = '', ...value] = declaration.split(':');
    return styleProperty.test(property.trim().toLowerCase()) && styleValue.test(value.join(':'));
  });
  return kept.map((declaration) => declaration.trim()).join(';');
}

const frameAttributes = ['src', 'width', 'height', 'allow', 'allowFullScreen', 'loading', 'title'];
const web = ['http', 'https'];

function schemaOf({ tags = [], attributes: more = {}, iframes = [] }: Widening): Schema {
  const frames = iframes.length > 0 ? ['iframe'] : [];
  const allowed = new Map(Object.entries({ ...attributes, iframe: frameAttributes }));
  for (const [tag, names] of Object.entries(more)) {
    allowed.set(tag, [
      ...(allowed.get(tag) ?? []),
      ...names.map((name) => find(html, name).property),
    ]);
  }
  const stripped = ['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg', 'math'];
  return {
    tagNames: [...tagNames.split(' '), ...tags, ...frames],
    attributes: Object.fromEntries(allowed),
    // Also for attributes that only a site's own list may bring in.
    protocols: {
      action: web,
      background: web,
      cite: web,
      data: web,
      formAction: web,
      href: [...web, 'mailto', 'tel'],
      longDesc: web,
      ping: web,
      poster: web,
      src: [...web, 'data'],
      xLinkHref: web,
    },
    // Links within the article, and Astro's list of headings, go by the ids as they are.
    clobber: [],
    required: { input: { type: 'checkbox', disabled: true } },
    strip: stripped.filter((tag) => !frames.includes(tag) && !tags.includes(tag)),
  };
}

/** The address of a frame as a browser reads it, if it is one of the hosts that are allowed. */
function frameAddress({ properties }: Element, { iframes = [] }: Widening): string | undefined {
  const src = String(properties.src ?? '');
  if (!URL.canParse(src)) return undefined;
  const { protocol, hostname, href } = new URL(src);
  return protocol === 'https:' && iframes.includes(hostname) ? href : undefined;
}
