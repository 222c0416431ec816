import { expect, it } from 'vitest';
import { findProcessorParts, partName } from '../../../src/html/processor-parts.ts';

it('the parts of a processor are its elements, its attributes and its scripts, without ids', () => {
  const html =
    '<p id="a" class="b" data-c="1">x</p><script src="a.js"></script><link href="a.css"><style>p{}</style><svg width="1"><path d="M0"></path></svg>';
  expect([...findProcessorParts(html)].toSorted()).toEqual(
    ['p', 'p class=b', 'p data-c', 'p data-c=1', 'svg width=1', 'path d=M0']
      .concat('<script src="a.js"></script>', '<link href="a.css">', '<style>p{}</style>')
      .toSorted(),
  );
  expect(partName('a', { name: 'b', value: 'c' })).toBe('a b=c');
});
