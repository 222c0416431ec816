import { expect, it } from 'vitest';
import { declarationsOf, safeStyle } from '../../../src/html/inline-style.ts';

const properties = /^(?:color|width|position|display|background|quotes|--[\w-]+)$/;
const keep = (style: string) => safeStyle(style, properties);

it('divides a style at its semicolons', () => {
  expect(declarationsOf(' a: b;; c:d ; ')).toEqual(['a: b', 'c:d']);
  expect(declarationsOf(' ')).toEqual([]);
});

const functions =
  'rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var calc min max clamp minmax fit-content ' +
  'repeat linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient ' +
  'repeating-conic-gradient';

it.each([
  ...functions.split(' ').map((name) => `width: ${name}(1px)`),
  ...['COLOR: Red', 'color :\nred;', '--x: 1px ! important', 'width: calc((1em + (2px)) * 2)'],
  ...['width:1px/calc (1px)', "quotes: '\u00ab' \"(\" ''", 'width: a:b'],
  ...[
    'width:calc(1px)',
    'position:relative!important',
    'position: static',
    'position:RELATIVE',
    'position: relative ! important ',
    'display: flex',
  ],
  `color: ${'a'.repeat(249)}`,
])('keeps %j', (style) => expect(keep(style)).toBe(style));

it.each([
  ...['margin: 0', 'xcolor: red', 'color-x: red', 'color', ': red', 'x color: red'],
  ...[
    'url',
    'xrgb',
    'rgbx',
    'xcolor',
    'image-set',
    'element',
    'attr',
    'env',
    'src',
    '-rgb',
    'a-calc',
  ].map((name) => `background: ${name}(1px)`),
  ...[
    'width: calc(url(x))',
    'width: calc(1px) url(x)',
    'quotes: "a" url(x) "b"',
    "quotes: 'a' url(x) 'b'",
    'display: url(x)',
    'width: wavy',
  ],
  ...['"', "'", '\\', '{', '}', '@', '<', '>', '[', '/*'].map((sign) => `color: a${sign}b`),
  ...['"\\"', '"<"', '">"', '"{"', '"}"', "'\\'", "'<'", "'>'", "'{'", "'}'"].map(
    (text) => `quotes: ${text}`,
  ),
  ...['position: fixed', 'position: absolute', 'position: static fixed', 'position: xstatic'],
  ...['position: relative important', 'position: relative !x', 'position:'],
  `color: ${'a'.repeat(250)}`,
])('drops %j', (style) => expect(keep(`${style};color:red`)).toBe('color:red'));

it('keeps the declarations around one that is dropped', () => {
  expect(keep('color: red;margin: 0; width: 1px')).toBe('color: red;width: 1px');
});

it('keeps a style of 2,000 characters', () => {
  const style = 'color:red;'.repeat(200);
  expect(keep(style)).toBe(style);
  expect(keep(`${style} `)).toBe('');
});
