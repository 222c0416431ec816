import { expect, test } from 'vitest';
import {
  htmlAttributes,
  layoutTags,
  linkTypes,
  mathAttributes,
  mathTags,
  names,
  styleProperties,
  svgAttributes,
  svgTags,
  textTags,
} from '../../../src/html/kept-names.ts';
import { policyFor } from '../../../src/html/policy.ts';
import { lists } from '../../helpers/documented-lists.ts';

const { styles = new Set<string>(), ...documented } = Object.fromEntries(lists);

test('the documented lists have the names that are kept', () => {
  expect(documented).toEqual({
    ...Object.fromEntries(htmlAttributes),
    elements: names(textTags, layoutTags),
    'every element': new Set(policyFor(true)?.attributes).add('aria-*'),
    rel: linkTypes,
    'SVG elements': svgTags,
    'SVG attributes': svgAttributes,
    'MathML elements': mathTags,
    'MathML attributes': mathAttributes,
  });
});

test.each([...styles])('styles may set the documented property %s', (name) => {
  expect(name.replace('*', 'x')).toMatch(styleProperties);
  expect(name.replace(/\b-\*$/, '').replace('*', 'y')).toMatch(styleProperties);
});
