import { expect, test } from 'vitest';
import {
  parseIntegrationOptions,
  refreshSecret,
} from '../../../src/integration/integration-options.ts';
import { textOf } from '../../helpers/error-text.ts';

test('options of the site are separate from those of the loaders', () => {
  expect(parseIntegrationOptions({ pageSize: 10, refresh: 500 })).toEqual({
    loaderOptions: { pageSize: 10 },
    siteOptions: { redirects: true, refresh: 500 },
  });
  expect(parseIntegrationOptions({ redirects: false }).siteOptions.redirects).toBe(false);
});

test('a secret of refresh requests that protects nothing is reported without its value', () => {
  const read = (ARTICLES_REFRESH_SECRET?: string) => refreshSecret({ ARTICLES_REFRESH_SECRET });
  for (const secret of ['short-secret', 'whsec_c2hvcnQ=', 'x'.repeat(40)]) {
    const text = textOf(() => read(secret));
    expect(text).toContain('[invalid-options] ARTICLES_REFRESH_SECRET ');
    expect(text).not.toContain(secret);
  }
  for (const secret of ['a secret of some length', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
    expect(read(secret)).toBe(secret);
  }
  expect(read(' a secret of some length\n')).toBe('a secret of some length');
  for (const none of [undefined, '', ' ']) expect(read(none)).toBeUndefined();
});
