import { expect, it } from 'vitest';
import {
  escapeHtmlMarks,
  markedImage,
  markedPath,
  markImagePath,
  unmarkImage,
} from '../../../src/shared/image-marks.ts';

const path = '../a/b.png';
const mark = markImagePath(path);

it('marks the path of an image, and reads it again', () => {
  expect([mark, markedPath(mark), markedPath(path)]).toEqual([
    ...['__ASTRO_IMAGE_../a/b.png', path, undefined],
  ]);
});

it('escapes the marks in HTML', () => {
  const html = markedImage({ src: '"a"&', index: 0 });
  expect(html).toBe(
    String.raw`<img __ASTRO_IMAGE_="{&#x22;src&#x22;:&#x22;\&#x22;a\&#x22;\u0026&#x22;,&#x22;index&#x22;:0}">`,
  );
  expect(escapeHtmlMarks(html)).toContain('<img __ASTRO_IMAGE_&#x3D;"');
  expect(escapeHtmlMarks(html + html)).toBe(escapeHtmlMarks(html).repeat(2));
});

it('restores an attribute that the element has, too, as the processor has marked it', () => {
  const attrs = [
    { name: 'alt', value: 'own' },
    { name: '__astro_image_', value: '{"alt":"marked"}' },
  ];
  const element = { attrs };
  unmarkImage(element);
  expect(element.attrs).toEqual([{ name: 'alt', value: 'marked' }]);
});

it.each<[string, Record<string, string>]>([
  ['{"src":"a.png","alt":"","width":2}', { src: 'a.png', alt: '', width: '2' }],
  ['{"dataA":1,"ariaLabelX":"b"}', { 'data-a': '1', 'aria-label-x': 'b' }],
  ['{"srcSet":"a","metadataUrl":"b","data":"c"}', { srcset: 'a', metadataurl: 'b', data: 'c' }],
  [
    '{"hidden":true,"open":false,"className":["a"],"index":0,"inferSize":true,"x":{}}',
    { hidden: '' },
  ],
  ['text', {}],
  ['null', {}],
])('restores the attributes of a marked image: %s', (json, attributes) => {
  const title = { name: 'title', value: 'kept' };
  const element = { attrs: [{ name: '__astro_image_', value: json }, title] };
  unmarkImage(element);
  const restored = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]));
  expect(restored).toEqual({ ...attributes, title: 'kept' });
});
