import { expect, test } from 'vitest';
import { collectLost } from '../../../src/report/lost-parts.ts';
import { attribute, element, frame, versionWith } from '../../helpers/rendered-version.ts';

test('the same attribute of several elements and articles is one part', () => {
  const lost = collectLost([
    versionWith('7', [attribute('border', 'td'), attribute('border', 'table')]),
    versionWith('8', [attribute('border', 'td'), attribute('ref', 'td')]),
  ]);
  expect(lost).toEqual([
    { kind: 'attribute', name: 'border', tags: ['table', 'td'], ids: ['7', '8'] },
    { kind: 'attribute', name: 'ref', tags: ['td'], ids: ['8'] },
  ]);
});

test('frames of several hosts are several parts', () => {
  const lost = collectLost([versionWith('7', [frame('b.example'), frame(), frame('a.example')])]);
  expect(lost.map(({ host }) => host)).toEqual(['a.example', 'b.example', undefined]);
});

test('equal parts have the order of their names, in any order of articles', () => {
  const versions = ['form', 'dialog', 'nav'].map((name, at) =>
    versionWith(String(at), [element(name)]),
  );
  const names = ['dialog', 'form', 'nav'];
  expect(collectLost(versions).map(({ name }) => name)).toEqual(names);
  expect(collectLost(versions.toReversed()).map(({ name }) => name)).toEqual(names);
});

test('an article without its rendering has lost nothing', () => {
  const version = versionWith('7', []);
  expect(collectLost([{ ...version, article: { ...version.article, renderings: [] } }])).toEqual(
    [],
  );
});
