import { expect, it } from 'vitest';
import { imageKinds, imageType } from '../../../src/shared/image-kinds.ts';

it('returns the media type of each kind, and of an SVG', () => {
  expect([...imageKinds, 'svg'].map(imageType)).toEqual([
    ...['image/avif', 'image/webp', 'image/png', 'image/jpeg', 'image/gif', 'image/svg+xml'],
  ]);
});
