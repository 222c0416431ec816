import * as fc from 'fast-check';
import { parse, parseFragment } from 'parse5';
import { type Parent, toHtml } from '../../src/html/parse-html.ts';

const words = (list: string) => list.trim().split(/\s+/);

/** Kinds of elements that a parser closes, moves or repeats where they are in one another, and that a policy may leave out. */
const kinds = {
  unwrapped: words('form fieldset marquee label output unknown legend hgroup canvas map menuitem'),
  dropped: words('object select template noscript iframe script title xmp option textarea dialog'),
  formatting: words('a a b i em font nobr strike code u big small s tt'),
  lists: words('ul ol menu dir dl li li li dt dd dd'),
  tables: words('table table caption colgroup col thead tbody tfoot tr td th'),
  buttons: words('button button'),
  blocks: words(
    'div div p p section main article details summary address center blockquote figure h1 h2 h3',
  ),
  others: words('pre listing ruby rb rt rtc rp svg math mtext mi desc picture video x-y hr br img'),
};
const tag = fc.oneof(...Object.values(kinds).map((names) => fc.constantFrom(...names)));
const attribute = fc.constantFrom(
  ...['', '', '', '', '', ' id="k"', ' href="/x"', ' class="c"', ' style="height:9px"'],
);
const text = fc.constantFrom(
  ...['x', 'x', 'x', ' ', '\n', '\n\nx', 'a&#13;b', '<!--x-->', '<img src="https://a.example/1">'],
);
/** Tags that nothing closes, and ends of what is not open. */
const stray = fc.tuple(tag, fc.boolean()).map(([name, isEnd]) => `<${isEnd ? '/' : ''}${name}>`);

const { content } = fc.letrec<{ content: string; element: string }>((tie) => ({
  element: fc
    .tuple(tag, attribute, tie('content'))
    .map(([name, attributes, inside]) => `<${name}${attributes}>${inside}</${name}>`),
  content: fc
    .array(
      fc.oneof(
        { depthSize: 'large', withCrossShrink: true },
        { weight: 2, arbitrary: text },
        { weight: 5, arbitrary: tie('element') },
        { weight: 1, arbitrary: stray },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join('')),
}));

/** Elements that end another one of their kind, wherever the parser finds it. */
const ending = words('button button button a a a li dd p p h1 nobr rt td');
/** Elements that leave a tree of their own kind: the policy replaces them by their content, or the parser moves it. */
const hiding = words('marquee marquee marquee table table form fieldset label');
const between = words('div section article main p b address ul dl details');

/** An element in another one of its kind, with what hides that from the parser between them. */
const trap = fc
  .tuple(
    fc.constantFrom(...ending),
    fc.array(fc.constantFrom(...between), { maxLength: 2 }),
    fc.constantFrom(...hiding),
    fc.array(fc.constantFrom(...between), { maxLength: 4 }),
    text,
  )
  .map(([name, before, hider, after, inside]) => {
    const elements = [name, ...before, hider, ...after, name];
    const html = elements.reduceRight((inner, each) => `<${each}>${inner}</${each}>`, inside);
    const list = { li: 'ul', dd: 'dl', dt: 'dl', tr: 'table', td: 'table' }[name];
    return list ? `<${list}>${html}</${list}>` : html;
  });

/** Elements in one another, each in the next one. */
const chain = fc
  .tuple(fc.array(fc.tuple(tag, attribute), { minLength: 3, maxLength: 9 }), text)
  .map(([elements, inside]) =>
    elements.reduceRight(
      (html, [name, attributes]) => `<${name}${attributes}>${html}</${name}>`,
      inside,
    ),
  );

/** HTML of elements in one another that no parser reads as they are written. */
export const nestedHtml = fc.oneof(
  trap,
  content,
  chain,
  fc.tuple(trap, chain, content).map((parts) => parts.join('')),
);

/** Returns why a browser would read HTML otherwise than it was written, in an element of a page; undefined if it does not. */
export function misreading(given: string): string | undefined {
  // That of an image mark in a text.
  const html = given.replaceAll('&#x3D;', '=');
  const written = `<div>${html}</div><footer></footer>`;
  const { childNodes } = parseFragment(written) as Parent;
  const names = childNodes.map(({ nodeName }) => nodeName).join(' ');
  if (names !== 'div footer') return `its page has ${names}`;
  const [element] = childNodes;
  const read = element && 'tagName' in element ? toHtml(element) : '';
  if (read !== html) return `it is read as ${read}`;
  const page = parse(`<!doctype html><body><main>${written}</main>`) as unknown as Parent;
  return toHtml(page).includes(`<main>${written}</main>`) ? undefined : 'a page reads it otherwise';
}
