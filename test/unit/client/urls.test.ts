import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/client.ts';
import { idProblem, isLoopback, parseBaseUrl } from '../../../src/client/urls.ts';
import { ArticlesOptionsError } from '../../../src/errors.ts';

function rejectionOf(baseUrl: string): ArticlesOptionsError {
  try {
    parseBaseUrl(baseUrl);
  } catch (error) {
    if (error instanceof ArticlesOptionsError) return error;
  }
  throw new Error(`${baseUrl} was accepted`);
}

describe('a base URL', () => {
  it('is a URL with a slash at its end, or an error that says what is wrong', () => {
    const parts =
      'tel https http : // https://a.example / . 1234567890 80 - [ ] @ ? # % é a localhost';
    const part = fc.constantFrom(' ', ...parts.split(' '));
    const text = fc.array(part, { maxLength: 8 }).map((some) => some.join(''));
    const counts = { accepted: 0, rejected: 0 };
    fc.assert(
      fc.property(text, (baseUrl) => {
        try {
          expect(parseBaseUrl(baseUrl).href).toMatch(/^https?:\/\/.*\/$/);
          counts.accepted += 1;
        } catch (error) {
          if (!(error instanceof ArticlesOptionsError)) throw error;
          expect(error.message).toMatch(/^`baseUrl` /);
          counts.rejected += 1;
        }
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(0);
  });

  it.each([
    ['https://app.example.com', 'https://app.example.com/'],
    ['https://app.example.com/a/b', 'https://app.example.com/a/b/'],
    ['https://app.example.com/api/integrations/', 'https://app.example.com/api/integrations/'],
    ['HTTPS://APP.example.com:443', 'https://app.example.com/'],
    ['https://app.example.com/a?', 'https://app.example.com/a/'],
    ['https://app.example.com/a/#', 'https://app.example.com/a/'],
  ])('%s is %s', (input, href) => {
    expect(parseBaseUrl(input).href).toBe(href);
  });

  const thisMachine = 'localhost:8000 api.localhost 127.0.0.1:8000 127.1 [::1]:3000';
  const privateHosts =
    '10.0.0.5:8000 172.16.0.1 172.31.255.1 192.168.1.2/cms [fd12:3456::1] [fc00::1]:8000 api:8000 cms nas.local ' +
    'cms.internal:8080 cms.test 172.20.0.1 172.30.0.1 [fdab:1::1]';
  const publicHosts =
    'app.example.com 8.8.8.8 172.32.0.1 169.254.169.254 100.64.0.1 10.0.0.1.example.com localhost.example.com ' +
    'internal.example.com cms.internal.example.com a.test.example.com 110.0.0.5 172.15.0.1 192.169.0.1 [fda::1] [fe80::1] [2001:db8::1] [::ffff:10.0.0.1]';

  it.each(`${thisMachine} ${privateHosts}`.split(' '))(
    'may be plain http to this machine or a private host: %s',
    (host) => {
      expect(parseBaseUrl(`http://${host}`).protocol).toBe('http:');
    },
  );

  it.each(publicHosts.split(' '))('must be https to any other host: %s', (host) => {
    const { message, hint } = rejectionOf(`http://${host}`);
    expect(message).toContain('`baseUrl` uses plain http: http://');
    expect(hint).toContain(`Use https://${host.slice(0, 4)}`);
  });

  it('is shown with https as it has to be written', () => {
    const { hint } = rejectionOf('http://app.example.com:8443/cms');
    expect(hint).toContain('Use https://app.example.com:8443/cms: ');
  });

  it.each([
    ['app.example.com', 'is not a URL that begins with https:// or http://'],
    ['localhost:8000', 'is not a URL that begins with https:// or http://'],
    ['ftp://app.example.com', 'is not a URL that begins with https:// or http://'],
    ['https://app.example.com/?a', 'contains a query or a hash'],
    ['https://app.example.com/#a', 'contains a query or a hash'],
  ])('%s is rejected: it %s', (input, problem) => {
    const rejection = rejectionOf(input);
    expect(rejection).toMatchObject({ code: 'invalid-options' });
    expect(rejection.message).toContain(problem);
    expect(rejection.hint).toContain('for example https://app.example.com');
  });

  const urlsWithSecrets = ['user:secret', 'secret', ':secret'].map(
    (user) => `https://${user}@app.example.com`,
  );

  it.each(['secret', 'sk_live_secret', 'secret value', ...urlsWithSecrets])(
    'is not repeated when it may be a secret: %s',
    (input) => {
      const { message, hint } = rejectionOf(input);
      expect(`${message} ${hint}`).not.toContain('secret');
    },
  );
});

describe('the URL of an article', () => {
  const urls: string[] = [];
  const client = createArticlesClient({
    baseUrl: 'https://app.example.com/v2/api',
    apiKey: 'an-api-key-for-tests',
    async fetch(url) {
      urls.push(url);
      return new Response('', { status: 404 });
    },
  });
  const collection = 'https://app.example.com/v2/api/api/integrations/project/articles/';

  it.each(['a/b', 'a?b', 'a#b', 'a%2Fb', '%', ' ', 'ü', '//evil.example', '\\', ';"<'])(
    'keeps the id %j in one segment',
    async (id) => {
      await client.getArticle(id, { confirmMissing: false });
      expect(urls.splice(0)).toEqual([`${collection}${encodeURIComponent(id)}/`]);
    },
  );

  it('may exist for three dots', () => expect(idProblem('...')).toBeUndefined());

  it.each(['.', '..', ''])('does not exist for %j', (id) => {
    expect(idProblem(id)).toBeDefined();
  });

  it('exists for ids of 512 characters at most', () => {
    expect(idProblem('x'.repeat(512))).toBeUndefined();
    expect(idProblem('x'.repeat(513))).toBe('it is longer than 512 characters');
  });
});

it.each(['localhost', 'a.localhost', '127.0.0.1', '127.10.20.30', '[::1]'])(
  '%s is this machine',
  (host) => expect(isLoopback(host)).toBe(true),
);

it.each([
  ...['.localhost', 'alocalhost', 'localhost.test', '128.0.0.1', '127.0.0.1.test', 'a127.0.0.1'],
  ...['127..0.1', '127.0..1', '127.0.0.', 'a[::1]', '[::1]a', '[1::1]'],
])('%s is not this machine', (host) => expect(isLoopback(host)).toBe(false));
