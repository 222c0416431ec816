import { describe, expect, it } from 'vitest';
import { followRedirects, type RedirectPolicy } from '../../../src/http/redirects.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

/** Follows redirects between URLs. Returns the URLs that were requested, and the body, or why it failed. */
async function follow(
  start: string,
  locations: Record<string, string>,
  { policy = 'any-origin', status = 302 }: { policy?: RedirectPolicy; status?: number } = {},
) {
  const requested: string[] = [];
  const send = async ({ href }: URL) => {
    requested.push(href);
    const location = locations[href];
    const redirect = () => new Response(null, { status, headers: location ? { location } : {} });
    return location === undefined ? new Response('here') : redirect();
  };
  const response = followRedirects(new URL(start), policy, send);
  const result = await response.then(
    (last) => (last as Response).text(),
    ({ failure }) => failure.reason,
  );
  return { requested, result };
}

describe('a redirect', () => {
  it.each([
    '',
    'http://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pw@127.0.0.1/',
    'http://pw@127.0.0.1/',
    'http://:pw@127.0.0.1/',
  ])('to %j is refused', async (location) => {
    const { url } = await temporaryServer((_, response) =>
      response.writeHead(302, { location }).end(),
    );
    const send = (each: URL) => fetch(each, { redirect: 'manual' });
    for (const policy of ['same-origin', 'any-origin'] as const) {
      const refused = followRedirects(new URL(url), policy, send);
      const failure = { code: 'redirect', status: 302, headers: expect.any(Headers) };
      await expect(refused).rejects.toMatchObject({ failure });
      await expect(refused).rejects.not.toMatchObject({
        failure: { reason: expect.stringContaining('pw') },
      });
    }
  });

  it.each<[what: string, locations: Record<string, string>, requested: string[], result: string]>([
    [
      'is relative to the URL that sends it',
      { 'https://a.test/1': 'https://b.test/x/2', 'https://b.test/x/2': '3' },
      ['https://a.test/1', 'https://b.test/x/2', 'https://b.test/x/3'],
      'here',
    ],
    [
      'may lead back to the first origin',
      {
        'https://a.test/1': 'https://b.test/2',
        'https://b.test/2': '//c.test/3',
        'https://c.test/3': 'https://a.test/4',
      },
      ['https://a.test/1', 'https://b.test/2', 'https://c.test/3', 'https://a.test/4'],
      'here',
    ],
    [
      'may lead from http to http',
      { 'http://a.test/1': 'http://b.test/2' },
      ['http://a.test/1', 'http://b.test/2'],
      'here',
    ],
    [
      'from http may lead to https, and not back',
      { 'http://a.test/1': 'https://b.test/2', 'https://b.test/2': 'http://a.test/3' },
      ['http://a.test/1', 'https://b.test/2'],
      'redirects from https://b.test to http://a.test, which is not https',
    ],
  ])('in a chain of origins %s', async (_, locations, requested, result) => {
    const [start = ''] = requested;
    expect(await follow(start, locations)).toEqual({ requested, result });
    expect(await follow(start, locations, { policy: 'same-origin' })).toEqual({
      requested: [start],
      result: expect.stringMatching(/^redirects from .*, which is another origin$/),
    });
  });

  it('within the origin is followed by requests with a secret', async () => {
    const { requested } = await follow(
      'https://a.test/1',
      { 'https://a.test/1': '/2' },
      { policy: 'same-origin' },
    );
    expect(requested).toEqual(['https://a.test/1', 'https://a.test/2']);
  });

  it.each([301, 302, 303, 307, 308])('is a response with the status %i', async (status) => {
    const { result } = await follow('https://a.test/', { 'https://a.test/': '/2' }, { status });
    expect(result).toBe('here');
  });

  it.each([300, 304, 200])('is no response with the status %i', async (status) => {
    const location = '/next';
    const send = async () => ({ status, headers: new Headers({ location }) }) as Response;
    const response = await followRedirects(new URL('https://a.test'), 'any-origin', send);
    expect(response.status).toBe(status);
  });

  it.each([
    [5, 6, 'here'],
    [6, 6, 'redirects more than 5 times'],
  ])('of a chain of %i is followed five times at most', async (length, requests, result) => {
    const url = (at: number) => `https://a.test/${at}`;
    const chain = Array.from({ length }, (_, at) => [url(at), url(at + 1)]);
    const followed = await follow(url(0), Object.fromEntries(chain));
    expect(followed.requested).toHaveLength(requests);
    expect(followed.result).toBe(result);
  });
});
