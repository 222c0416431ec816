import { expect, test } from 'vitest';
import { reconcile } from '../../../src/content/reconcile.ts';

const unchanged = (id: string) => ({ id });
const changed = (id: string) => ({ id, set: { id, data: {} } });

test.each([
  { name: 'a first load', stored: [], entries: [changed('1'), changed('2')], set: ['1', '2'] },
  { name: 'nothing changed', stored: ['1', '2'], entries: [unchanged('2'), unchanged('1')] },
  { name: 'one changed', stored: ['1', '2'], entries: [changed('1'), unchanged('2')], set: ['1'] },
  { name: 'one is gone', stored: ['1', '2'], entries: [unchanged('2')], remove: ['1'] },
  { name: 'one has a new id', stored: ['1'], entries: [changed('2')], remove: ['1'], set: ['2'] },
  { name: 'all are gone', stored: ['1', '2'], entries: [], remove: ['1', '2'] },
])('changes of a collection: $name', ({ stored, entries, set = [], remove = [] }) => {
  const changes = reconcile(stored.map(unchanged), entries);
  expect(changes.remove).toEqual(remove);
  expect(changes.set.map(({ id }) => id)).toEqual(set);
});
