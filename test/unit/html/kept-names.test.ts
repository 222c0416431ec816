import { expect, test } from 'vitest';
import {
  htmlAttributes,
  layoutTags,
  linkTypes,
  mathAttributes,
  mathTags,
  styleProperties,
  svgAttributes,
  svgTags,
  textTags,
  wordSet,
} from '../../../src/html/kept-names.ts';
import { policyFor } from '../../../src/html/policy.ts';
import { lists } from '../../helpers/documented-lists.ts';

const { styles, ...documented } = Object.fromEntries(lists);

test('the documented lists have the names that are kept', () => {
  expect(documented).toEqual({
    ...Object.fromEntries(htmlAttributes),
    elements: wordSet(textTags, layoutTags),
    'every element': new Set(policyFor(true)?.attributes).add('aria-*'),
    rel: linkTypes,
    'SVG elements': svgTags,
    'SVG attributes': svgAttributes,
    'MathML elements': mathTags,
    'MathML attributes': mathAttributes,
  });
});

test('styles may set each documented property', () => {
  expect(styles).toContain('border-*');
  for (const name of styles ?? []) {
    expect(name.replace('*', 'x')).toMatch(styleProperties);
    // The list `border-*` has `border`, too.
    if (name !== '--*') expect(name.replace('-*', '')).toMatch(styleProperties);
  }
});
