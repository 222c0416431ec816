import { expect, test } from 'vitest';
import { mapRows } from '../../../src/client/index.ts';

interface Post {
  id: number;
  uuid: string;
  html: string | null;
}

const toRow = ({ uuid, html }: Post) => ({ id: uuid, content: String(html?.trim()), more: 1 });

test('a row that cannot be mapped has only its id, and the others are as they were mapped', () => {
  const posts = [{ id: 7, uuid: 'a', html: ' x ' }, Object({ id: 8, uuid: 'b', html: 5 })];
  const mapped = { id: 'a', content: 'x', more: 1 };
  expect(mapRows<Post>(posts, toRow, 'uuid')).toEqual([mapped, { id: 'b' }]);
  expect(mapRows<Post>(posts, toRow)).toEqual([mapped, { id: 8 }]);
});

test('a row that is not an object has no id', () => {
  const mapped = mapRows<Post>(JSON.parse('[null,"b",[1]]'), toRow);
  expect(mapped[0]).toEqual({ id: undefined });
  expect(mapped).toHaveLength(3);
});

test('a function that throws for each of several rows throws, and for a single row it does not', () => {
  const wrong = () => {
    throw new TypeError('a name is wrong');
  };
  const posts = [{ id: 7 }, { id: 8 }];
  expect(() => mapRows(posts, wrong)).toThrow('a name is wrong');
  expect(mapRows(posts.slice(1), wrong)).toEqual([{ id: 8 }]);
  expect(mapRows([], wrong)).toEqual([]);
});
