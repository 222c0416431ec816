import { describe, expect, it } from 'vitest';
import { isExpiring, printableUrl, resolveImage, unsigned } from '../../../src/shared/image-url.ts';

describe('the signature of a URL', () => {
  it.each([
    ['https://a.example/x.png?w=1&X-Amz-Signature=abc&X-Amz-Date=1', 'https://a.example/x.png?w=1'],
    ['https://a.example/x.png?sv=1&sig=abc&se=2', 'https://a.example/x.png'],
    ['https://a.example/x.png?Expires=1&Signature=a&Key-Pair-Id=b', 'https://a.example/x.png'],
    ['https://a.example/x.png?X-Goog-Signature=1#top', 'https://a.example/x.png#top'],
    ['https://a.example/x.png?sp=1&st=2', 'https://a.example/x.png?sp=1&st=2'],
    [
      'https://a.example/x?sv=1&st=1&se=1&sr=b&sp=r&spr=https&sip=1&skoid=1&sktid=1&skt=1&ske=1&sks=b&skv=1&sig=1',
      'https://a.example/x',
    ],
    ['https://a.example/x?SV=1&SIG=1&usv=2&svg=3', 'https://a.example/x?usv=2&svg=3'],
    ['https://a.example/x?AWSAccessKeyId=a&Policy=b&GoogleAccessId=c', 'https://a.example/x'],
    ['https://a.example/x?OSSAccessKeyId=a&security-token=b', 'https://a.example/x'],
    [
      'https://a.example/x?x-oss-process=image/resize,w_100&x-oss-credential=a&x-oss-signature=b',
      'https://a.example/x?x-oss-process=image/resize,w_100',
    ],
    ['?a=1&Signature=b', '?a=1'],
    [
      'https://a.example/x?no-policy=1&expires-in=2&a-x-amz-date=3&x-amz-=4',
      'https://a.example/x?no-policy=1&expires-in=2&a-x-amz-date=3&x-amz-=4',
    ],
    ['https://a.example/x.png?id=5', 'https://a.example/x.png?id=5'],
    ['/x.png', '/x.png'],
    ['', ''],
  ])('is removed from %s', (url, plain) => expect(unsigned(url)).toBe(plain));
});

describe('a URL expires', () => {
  it.each([
    'https://a.example/x.png?X-Amz-Date=1&X-Amz-Expires=3600&X-Amz-Signature=abc',
    'https://a.example/x.png?x-goog-expires=60&x-goog-signature=abc#top',
    'https://a.example/x.png?x-oss-signature=abc&x-oss-expires=60',
    'https://a.example/x.png?AWSAccessKeyId=a&Signature=b&Expires=1',
    'https://a.example/x.png?Policy=1&Signature=a&Key-Pair-Id=b',
    'https://a.example/x.png?sv=1&amp;sig=abc&amp;se=2030-01-01',
  ])('if a store has signed it: %s', (url) => expect(isExpiring(url)).toBe(true));

  it.each([
    'https://a.example/x.png?expires=1',
    'https://a.example/x.png?signature=a',
    'https://a.example/?se=1&q=sig',
    'https://a.example/x-amz-expires=1/signature=1.png',
    '',
  ])('otherwise not: %s', (url) => expect(isExpiring(url)).toBe(false));
});

describe('a URL in a message', () => {
  it.each([
    ['https://user:secret@secret@a.example/x.png?token=secret#secret', 'https://a.example/x.png'],
    ['/x.png?secret', '/x.png'],
    ['/x.png#secret', '/x.png'],
    ['//@a.example/x.png?', '//a.example/x.png'],
    ['https://a.example/\u001b[31mx\n.png', 'https://a.example/[31mx.png'],
  ])('shows of %j no secrets and no control characters', (url, shown) => {
    expect(printableUrl(url)).toBe(shown);
  });

  it('has 200 characters at most, without what is not shown', () => {
    const longest = `data:,${'x'.repeat(194)}`;
    expect(printableUrl(`${longest}?a`)).toBe(longest);
    expect(printableUrl(`${longest}x`)).toBe('with a long URL');
  });
});

describe('the URL of an image', () => {
  const base = new URL('https://app.example.com/api/');

  it.each([
    ['x.png', 'https://app.example.com/api/x.png'],
    ['/x.png#top', 'https://app.example.com/x.png'],
    ['//a.example/x.png', 'https://a.example/x.png'],
    ['HTTP://A.example/x.png?a#b', 'http://a.example/x.png?a'],
  ])('is resolved against the service: %s', (input, href) => {
    expect(resolveImage(input, base)).toEqual(new URL(href));
  });

  const ofScheme = (scheme: string) =>
    `images are downloaded with https or http only, not ${scheme}:`;
  const withUser = 'its URL contains a user name or password';
  it.each([
    ['data:image/png;base64,x', ofScheme('data')],
    ['file:///etc/passwd', ofScheme('file')],
    ['ftp://a.example/x.png', ofScheme('ftp')],
    ['http://', 'it is not a valid URL'],
    ['https://a:b@c.example/', withUser],
    ['https://a@c.example/', withUser],
    ['https://:b@c.example/', withUser],
  ])('is not valid: %s, because %s', (input, reason) => {
    expect(resolveImage(input, base)).toBe(reason);
  });
});
