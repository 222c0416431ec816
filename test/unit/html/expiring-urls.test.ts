import { expect, it } from 'vitest';
import { hasExpiringUrls } from '../../../src/html/expiring-urls.ts';

const signed = 'https://a.example/x?X-Amz-Expires=60&amp;X-Amz-Signature=a';

it.each(['src', 'srcset', 'poster', 'href'])('finds a signed URL in the attribute %s', (name) => {
  expect(hasExpiringUrls(`<a alt="" ${name}="${signed}">`)).toBe(true);
  expect(hasExpiringUrls(`<a ${name}="">${name}="${signed}"`)).toBe(false);
});

it.each([
  `<p>${signed}</p>`,
  `<a title="${signed}">`,
  `<a data-href="${signed}">`,
  '<a href="https://a.example/x?X-Amz-Expires=60"><a href="/y?X-Amz-Signature=a">',
])('finds none in %s', (html) => expect(hasExpiringUrls(html)).toBe(false));
