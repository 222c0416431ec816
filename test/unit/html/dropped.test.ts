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

test('a part with very long names is one of the others', () => {
  // The longest description that is named, of 150 characters with its signs of JSON.
  const short: DroppedHtml = { kind: 'frame', name: 'iframe', host: `${'x'.repeat(121)}.example` };
  const long: DroppedHtml[] = [
    { kind: 'url', name: 'href', on: 'a', scheme: 'x'.repeat(150) },
    { kind: 'element', name: 'x'.repeat(137) },
  ];
  expect(collect([...long, short, short])).toEqual([{ kind: 'others', name: '' }, short]);
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
