import { expect, test } from 'vitest';
import { htmlAttributes, layoutTags, names, textTags } from '../../../src/html/kept-names.ts';
import { lists } from '../../helpers/documented-lists.ts';

test('the documented lists name no element or attribute that is not kept', () => {
  expect(lists.get('elements')).toEqual(names(textTags, layoutTags));
  const others = /^(?:elements|every element|rel|styles|SVG .*|MathML .*)$/;
  const tags = [...lists.keys()].filter((name) => !others.test(name));
  for (const tag of tags) expect(lists.get(tag), tag).toEqual(htmlAttributes.get(tag));
  expect(tags).toEqual(expect.arrayContaining([...htmlAttributes.keys()]));
});
