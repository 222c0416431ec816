export type Names = ReadonlySet<string>;

/** Makes a set of the words of texts. */
export function wordSet(...lists: readonly string[]): Names {
  return new Set(lists.join(' ').trim().split(/\s+/));
}

/** The elements that Markdown and the HTML of ordinary texts consist of. */
export const textTags = `
  a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure
  h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture pre q rp rt ruby s samp section small source span
  strong sub summary sup table tbody td tfoot th thead time tr track u ul var video audio wbr`;

/** The elements that the layout of a page consists of, older ones, and those that plugins write. */
export const layoutTags = `
  acronym address article aside big button center data dir font footer header hgroup main menu meter nav progress
  rb rtc search strike tt`;

/** Elements whose content is not text of the article: code, other documents, and lists of choices. */
export const tagsWithoutText = wordSet(`
  script style link meta base template iframe frame frameset object embed applet param portal fencedframe
  noscript noembed noframes xmp plaintext title textarea select datalist option optgroup dialog xml`);

/** Drawings refer only to gradients, so that their size does not multiply when they are painted. */
export const svgTags = wordSet(`
  svg g defs title desc path rect circle ellipse line polyline polygon text tspan textpath a image
  lineargradient radialgradient stop`);

export const mathTags = wordSet(`
  math maction menclose merror mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom mprescripts
  mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics
  annotation`);

const media = 'src controls loop muted preload autoplay';
const cell = 'width height colspan rowspan headers scope abbr';

const attributesByTag = {
  a: 'href hreflang rel target type download',
  audio: media,
  button: 'type disabled',
  col: 'span width',
  colgroup: 'span width',
  data: 'value',
  details: 'open',
  font: 'color face size',
  iframe: 'src width height loading allow allowfullscreen referrerpolicy sandbox frameborder',
  img: 'src srcset sizes alt width height loading decoding fetchpriority',
  input: 'type checked disabled',
  li: 'value',
  meter: 'value min max low high optimum',
  ol: 'start reversed type',
  progress: 'value max',
  source: 'src srcset sizes type media width height',
  table: 'width',
  td: cell,
  th: cell,
  track: 'src kind srclang label default',
  ul: 'type',
  video: `${media} poster playsinline width height`,
};

/** The attributes of HTML elements that show something, without those that every element may have. */
export const htmlAttributes: ReadonlyMap<string, Names> = new Map(
  Object.entries(attributesByTag).map(([tag, names]) => [tag, wordSet(names)]),
);

/** The words of `rel` that say something about a link. With `opener`, the page that it opens can navigate this one. */
export const linkTypes = wordSet(
  'author bookmark external help license me nofollow noopener noreferrer sponsored tag ugc',
);

export const svgAttributes = wordSet(`
  alignment-baseline baseline-shift clip-rule color color-interpolation color-rendering cx cy d direction display
  dominant-baseline dx dy fill fill-opacity fill-rule focusable font-family font-size font-stretch font-style
  font-variant font-weight fr fx fy gradienttransform gradientunits height href image-rendering lengthadjust
  letter-spacing offset opacity paint-order pathlength points preserveaspectratio r rotate rx ry shape-rendering
  space spreadmethod startoffset stop-color stop-opacity stroke stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-opacity stroke-width text-anchor text-decoration text-rendering textlength transform transform-origin
  vector-effect version viewbox visibility width word-spacing writing-mode x x1 x2 xlink xmlns y y1 y2`);

export const mathAttributes = wordSet(`
  accent accentunder actiontype align bevelled close columnalign columnlines columnspacing columnspan columnwidth
  denomalign depth display displaystyle encoding equalcolumns equalrows fence form frame framespacing height
  largeop linebreak linethickness lquote lspace mathbackground mathcolor mathsize mathvariant maxsize minsize
  movablelimits notation numalign open rowalign rowlines rowspacing rowspan rquote rspace scriptlevel selection
  separator separators side stretchy subscriptshift supscriptshift symmetric voffset width xmlns`);

/**
 * The properties that a `style` attribute may set. None of them loads a file or leaves the flow of the text. Columns in
 * columns, shadows with a large blur and millions of dashes hang a browser tab.
 */
export const styleProperties = new RegExp(
  `^(?:${[
    '(?:background|border|flex|font|grid|list-style|margin|max|min|object|overflow|padding|row|stroke(?!-dash)|text(?!-shadow))(?:-[a-z-]+)?',
    '(?:white-space|word)(?:-[a-z]+)?|(?:-webkit-)?(?:box-decoration-break|hyphens|user-select)',
    '(?:align|justify|place)-(?:content|items|self)|box-sizing|break-(?:after|before|inside)|math-style',
    'aspect-ratio|bottom|caption-side|clear|color|color-scheme|column-gap|direction|display|fill|fill-opacity|float|gap',
    'height|left|letter-spacing|line-break|line-height|opacity|order|orphans|position|quotes|right|stop-color|tab-size',
    'table-layout|top|unicode-bidi|vertical-align|visibility|widows|width|writing-mode|--[\\w-]+',
  ].join('|')})$`,
);
