import { expect, test } from 'vitest';
import { addDropped, type DroppedParts } from '../../../src/html/dropped.ts';
import type { DroppedHtml } from '../../../src/shared/dropped-html.ts';

function collect(parts: readonly DroppedHtml[]): DroppedHtml[] {
  const dropped: DroppedParts = new Map();
  for (const part of parts) addDropped(dropped, part);
  return [...dropped.values()];
}

test('each part is kept once, and parts that differ in one value are two', () => {
  const parts: DroppedHtml[] = [
    { kind: 'attribute', name: 'border', on: 'table' },
    { kind: 'attribute', name: 'border', on: 'td' },
    { kind: 'value', name: 'border', on: 'td' },
    { kind: 'frame', name: 'iframe', host: 'a.example' },
    { kind: 'frame', name: 'iframe' },
    { kind: 'url', name: 'href', on: 'a', scheme: 'ftp' },
    { kind: 'url', name: 'href', on: 'a', scheme: 'file' },
    { kind: 'url', name: 'href', on: 'a' },
  ];
  expect(collect([...parts, ...parts])).toEqual(parts);
});

test('a part has at most 80 characters of each text', () => {
  const text = 'x'.repeat(100);
  const short = 'x'.repeat(80);
  expect(collect([{ kind: 'url', name: text, on: text, scheme: text }])).toEqual([
    { kind: 'url', name: short, on: short, scheme: short },
  ]);
  expect(collect([{ kind: 'frame', name: 'iframe', host: text }])).toEqual([
    { kind: 'frame', name: 'iframe', host: short },
  ]);
});

test('of more than 500 parts, the last one says that there are others', () => {
  const parts = Array.from(
    { length: 502 },
    (_, at): DroppedHtml => ({ kind: 'element', name: `x${at}` }),
  );
  expect(collect(parts.slice(0, 500))).toEqual(parts.slice(0, 500));
  expect(collect([...parts, ...parts])).toEqual([
    ...parts.slice(0, 500),
    { kind: 'others', name: '' },
  ]);
});
