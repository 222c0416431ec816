import { expect, test } from 'vitest';
import { describeExpiringUrls } from '../../../src/report/expiry-notices.ts';
import { versionWith } from '../../helpers/rendered-version.ts';

const images = { covers: 'remote', body: 'remote', maxBytes: 1 } as const;
const cover = 'https://a.example/a.jpg?X-Amz-Expires=3600&X-Amz-Signature=ab';
const plain = versionWith('1', []);
const withCover = { ...plain, transformed: { ...plain.transformed, cover } };
const facts = { name: 'k-h', images: [], dropped: [], hasExpiringUrls: true as const };
const withTextOf = (id: string) => {
  const version = versionWith(id, []);
  return { ...version, article: { ...version.article, renderings: [facts] } };
};
const withText = withTextOf('1');

test('articles without signed URLs have no notice', () => {
  expect(describeExpiringUrls([plain], { images })).toEqual([]);
});

test('signed URLs in texts, and of covers that stay remote, are named', () => {
  const texts = describeExpiringUrls([withCover, withText], { images }).map(({ text }) => text);
  expect(texts).toEqual([
    expect.stringContaining('Texts have signed URLs, which expire after the build (article "1").'),
    expect.stringContaining('Covers have signed URLs, which expire after the build (article "1").'),
  ]);
});

test('several articles are named', () => {
  const [{ text = '' } = {}] = describeExpiringUrls([withText, withTextOf('2')], { images });
  expect(text).toContain('(articles "1", "2")');
});

test('a cover that is downloaded does not expire', () => {
  expect(describeExpiringUrls([withCover], { images: { ...images, covers: 'local' } })).toEqual([]);
});
