import { expect, it } from 'vitest';
import { isRefusedAttribute, isRefusedTag } from '../../../src/shared/refused-names.ts';

it.each(['script', 'STYLE', 'iframe', 'annotation-xml', 'astro-island', 'turbo-frame', 'amp-img'])(
  'refuses the element %s',
  (tag) => expect(isRefusedTag(tag)).toBe(true),
);

it.each(['p', 'my-chart', 'scripts', 'subscript', 'svg', 'article-slot', 'my-astro-chart'])(
  'accepts the element %s',
  (tag) => expect(isRefusedTag(tag)).toBe(false),
);

it.each([
  ...['onclick', 'ONCLICK', 'on', 'srcdoc', 'is', 'shadowrootmode', 'x-data', 'v-html', 'hx-get'],
  ...['data-turbo', 'data-turbo-frame', 'data-x-y', 'data-menu-target', 'data-menu-item-value'],
  ...[
    '@click',
    ':class',
    '_',
    '_a',
    '1a',
    'a.b',
    'a b',
    'a"',
    'a:b',
    'axlink:href',
    'xlink:onclick',
    '',
  ],
])('refuses the attribute %j', (name) => expect(isRefusedAttribute(name)).toBe(true));

it.each([
  ...['a', 'href', 'viewBox', 'aria-level', 'x1', 'y2-z', 'span', 'island', 'data-language'],
  ...['data-turbine', 'data-target', 'data-menu-targets', 'xlink:href', 'xml:lang', 'XML:lang'],
])('accepts the attribute %j', (name) => expect(isRefusedAttribute(name)).toBe(false));
