import { type AllowList, isRefusedTag } from '../shared/allow-list.ts';

/** The option `sanitize`: `true` is the default policy, and `false` allows everything. */
export type SanitizeOption = boolean | 'strict' | AllowList;

type Names = ReadonlySet<string>;

/** The elements, attributes and styles that articles may contain. Names are those of HTML, in lower case. */
export interface Policy {
  /** Elements that are dropped with their content. */
  droppedTags: Names;
  /** The elements that are kept; others are replaced by their content. Absent: all that are not dropped. */
  keptTags?: Names;
  /** Elements that are replaced by their content when they have no attributes left. */
  bareTags: Names;
  /** The elements that are kept in SVG. All others in it are dropped. */
  svgTags: Names;
  /** The elements that are kept in MathML. All others in it are dropped. */
  mathTags: Names;
  /** Attributes that are dropped from every element. */
  droppedAttributes: RegExp;
  /** The attributes that are kept, by tag name or `*`. Absent: all that are not dropped. */
  keptAttributes?: AllowList['attributes'];
  /** The classes that are kept, besides those of the highlighter. Absent: all. */
  keptClasses?: (tag: string, name: string) => boolean;
  /** The properties that a `style` attribute may set. */
  styleProperties: RegExp;
  /** Hosts of frames; `'any'` for HTML that was sanitized before. */
  frames: Names | 'any';
  /** The elements, attributes and frames that the site allows in addition. */
  allowList: AllowList;
}

const words = (list: string): string[] => list.split(' ');
const names = (...lists: string[]): Names => new Set(words(lists.join(' ')));

// Elements that run script, load code, navigate, submit, cover the page, or have parsing rules of their own.
const unsafeTags =
  'script style link meta base iframe frame frameset object embed applet param portal fencedframe ' +
  'template slot noscript noembed noframes xmp plaintext title textarea dialog';
const formTags =
  'form fieldset legend output select selectedcontent option optgroup datalist keygen menuitem';

const svgTags =
  'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textpath ' +
  'a image marker mask pattern clippath lineargradient radialgradient stop switch view filter feblend ' +
  'fecolormatrix fecomponenttransfer fecomposite feconvolvematrix fediffuselighting fedisplacementmap ' +
  'fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur femerge ' +
  'femergenode femorphology feoffset fepointlight fespecularlighting fespotlight fetile feturbulence';
const mathTags =
  'math maction menclose merror mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom ' +
  'mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder ' +
  'munderover none semantics annotation';

const unsafeAttributes =
  'on.*|srcdoc|is|slot|part|exportparts|name|nonce|autofocus|contenteditable|accesskey|ping|http-equiv|' +
  'attributionsrc|popover.*|command.*|interest.*|shadowroot.*|form(?:action|enctype|method|novalidate|target)?|' +
  'for|list|xmlns:.*|base|__astro.*';
// Attributes by which libraries run script: Alpine, Angular, Datastar, htmx, Livewire, Unpoly, Vue.
const libraryAttributes = '(?:data-)?(?:bind|hx|ng|on|up|v|wire|x)[:-].*|data-(?:bind|on)';

const styles =
  '(?:background|border|column|flex|font|grid|list-style|margin|math|max|min|object|overflow|padding|row|' +
  'stroke|text|white-space|word)(?:-[a-z-]+)?|-?(?:--|webkit-)?(?:box-decoration-break|hyphens|user-select)|' +
  '(?:align|justify|place)-(?:content|items|self)|aspect-ratio|box-sizing|break-(?:after|before|inside)|' +
  'bottom|caption-side|clear|color|color-scheme|direction|display|fill|fill-opacity|float|gap|height|left|' +
  'letter-spacing|line-break|line-height|opacity|order|orphans|position|quotes|right|stop-color|tab-size|' +
  'table-layout|top|unicode-bidi|vertical-align|visibility|widows|width|writing-mode|--[\\w-]+';

/** Drops everything that could run script, and keeps what the Markdown plugins of a site write. */
const defaultPolicy: Policy = {
  droppedTags: names(unsafeTags, formTags),
  bareTags: new Set(),
  svgTags: names(svgTags),
  mathTags: names(mathTags),
  droppedAttributes: new RegExp(`^(?:${unsafeAttributes}|${libraryAttributes})$`),
  styleProperties: new RegExp(`^(?:${styles})$`),
  frames: new Set(),
  allowList: {},
};

/** Keeps only what Markdown and the highlighter write, for services whose authors are unknown. */
const strictPolicy: Policy = {
  ...defaultPolicy,
  keptTags: names(
    'a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em',
    'figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture pre q rp rt ruby',
    's samp section small source span strong sub summary sup table tbody td tfoot th thead time tr',
    'track u ul var video audio wbr',
  ),
  droppedTags: names('script style template noscript iframe object svg math title textarea xmp'),
  svgTags: new Set(),
  mathTags: new Set(),
  keptAttributes: {
    '*': words('id class style title lang dir aria-label aria-describedby aria-hidden'),
    a: words('href rel target data-footnote-ref data-footnote-backref'),
    audio: words('src controls loop muted preload'),
    blockquote: words('cite'),
    col: words('span'),
    colgroup: words('span'),
    del: words('cite datetime'),
    details: words('open'),
    img: words('src srcset sizes alt width height loading decoding'),
    input: words('type disabled checked'),
    ins: words('cite datetime'),
    li: words('value'),
    ol: words('start reversed type'),
    pre: words('tabindex data-language'),
    q: words('cite'),
    section: words('data-footnotes'),
    source: words('src srcset sizes type media'),
    td: words('align colspan rowspan headers'),
    th: words('align colspan rowspan headers scope'),
    time: words('datetime'),
    track: words('src kind srclang label'),
    video: words('src poster controls loop muted playsinline preload width height'),
  },
  keptClasses: (tag, name) =>
    /^(?:language-.+|contains-task-list|task-list-item|footnotes|sr-only|data-footnote-backref|astro-code.*|shiki|line|math|math-inline|math-display)$/.test(
      name,
    ) ||
    (tag === 'span' && prismTokens.has(name)),
  styleProperties:
    /^(?:--shiki-[\w-]+|(?:background-)?color|font-(?:style|weight)|text-(?:align|decoration)|overflow-x|user-select|white-space|word-wrap)$/,
};

const prismTokens = names(
  'token atrule attr-name attr-value bold boolean builtin cdata char class-name comment constant',
  'deleted doctype entity function important inserted interpolation italic keyword namespace number',
  'operator parameter prolog property punctuation regex rule selector string symbol tag',
  'template-string title url variable',
);

/** For HTML that was sanitized before: drops what has a meaning only on the page of an article. */
export const feedPolicy: Policy = {
  ...defaultPolicy,
  droppedTags: names(unsafeTags, formTags, 'button'),
  bareTags: new Set(['span']),
  droppedAttributes: new RegExp(
    `^(?:${unsafeAttributes}|class|style|id|tabindex|loading|decoding|fetchpriority|(?:data|aria)-.*)$`,
  ),
  frames: 'any',
};

/** Returns the policy for an option; undefined when articles may contain everything. */
export function policyFor(option: SanitizeOption): Policy | undefined {
  if (option === false) return undefined;
  if (option === 'strict') return strictPolicy;
  const allowList = option === true ? {} : option;
  const { tags = [], iframes = [] } = allowList;
  const allowed = tags.filter((tag) => !isRefusedTag(tag));
  return {
    ...defaultPolicy,
    droppedTags: new Set([...defaultPolicy.droppedTags].filter((tag) => !allowed.includes(tag))),
    frames: new Set(iframes.map((host) => host.toLowerCase())),
    allowList,
  };
}
