import { expect, it } from 'vitest';
import { isRefusedAttribute, isRefusedTag } from '../../../src/shared/refused-names.ts';

const namesIn = (list: string) => list.trim().split(/\s+/);

it.each(
  namesIn(`
    script style link meta base template portal fencedframe slot iframe frame frameset object embed applet param
    animate animateMotion animateTransform discard set handler foreignObject use annotation-xml mglyph malignmark
    noscript noembed noframes xmp plaintext title textarea listing select selectedcontent webview permission geolocation
    form dialog astro-island turbo-frame amp-img
  `),
)('refuses the element %s, also in capitals', (tag) => {
  expect([tag, tag.toUpperCase()].map(isRefusedTag)).toEqual([true, true]);
});

it.each(['p', 'my-chart', 'scripts', 'subscript', 'svg', 'article-slot', 'my-astro-chart'])(
  'accepts the element %s',
  (tag) => expect(isRefusedTag(tag)).toBe(false),
);

it.each(
  namesIn(`
    onclick on srcdoc http-equiv shadowrootmode formaction ping is script
    autofocus command commandfor interestfor popover popovertarget popovertargetaction bind-value client-load hx-get ic-post-to ng-click q-slot sse-connect uk-toggle up-target v-html wire-click ws-send
    x-data xlink:onclick xml:onclick
  `),
)('refuses the attribute %s, also in capitals', (name) => {
  expect([name, name.toUpperCase()].map(isRefusedAttribute)).toEqual([true, true]);
});

it.each(
  namesIn(`
    ajax action adapter animate astro attr barba bind bs callback class component computed confirm content controller
    custom disable dismiss effect ember fancybox hk html hx hydrate ic indicator init instant intersects
    json jsonp lightbox link livewire main match method ng no on original params parent persist preserve props
    query react reactroot ref remote replace require role rocket script scroll server show signals sse spy
    style swup template text tippy toggle trigger turbo turbolinks uk unsafe up url val view wire ws
  `),
)('refuses the attribute data-%s, which libraries read, also with a suffix', (name) => {
  expect(isRefusedAttribute(`data-${name}`)).toBe(true);
  expect(isRefusedAttribute(`data-${name}-of-a-library`)).toBe(true);
});

it.each([
  ...['data-x-y', 'data-menu-class', 'data-menu-outlet', 'data-menu-item-param'],
  ...['data-menu-target', 'data-menu-item-value', '@click', ':class', '_', '_a', '1a', 'a.b'],
  ...['a b', 'a"', 'a:b', 'axlink:href', ''],
])('refuses the attribute %j', (name) => expect(isRefusedAttribute(name)).toBe(true));

it.each([
  ...['a', 'href', 'viewBox', 'aria-level', 'x1', 'y2-z', 'span', 'island', 'data-language'],
  ...['data-turbine', 'data-target', 'data-menu-targets', 'xlink:href', 'xml:lang', 'XML:lang'],
])('accepts the attribute %j', (name) => expect(isRefusedAttribute(name)).toBe(false));
