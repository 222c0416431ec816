import { describe, expect, it, test } from 'vitest';
import { problemsOf } from '../../../src/client/client.ts';
import {
  ArticlesError,
  ArticlesInvalidError,
  ArticlesListingError,
  ArticlesRequestError,
} from '../../../src/errors.ts';

const succeeds = async () => 'a page';
const fails = async () => {
  throw new Error('no page');
};

describe('the failure of a single article', () => {
  test.each(['server-error', 'bad-json', 'unauthorized', 'timeout'] as const)(
    '%s is a problem of the article if other requests succeed',
    async (code) => {
      const error = new ArticlesRequestError(code, 'GET …: no.');
      const problems = [{ id: 'a', reason: 'GET …: no.' }];
      expect(await problemsOf(error, { id: 'a', probe: succeeds })).toEqual(problems);
      await expect(problemsOf(error, { id: 'a', probe: fails })).rejects.toBe(error);
      await expect(problemsOf(error, { id: 'a' })).rejects.toBe(error);
    },
  );

  it.each([
    new Error('no'),
    undefined,
    new ArticlesListingError('listing-unusable', 'no'),
    new ArticlesError('server-error', 'no'),
  ])('is none of other errors: %s', async (error) => {
    await expect(problemsOf(error, { id: 'a', probe: succeeds })).rejects.toBe(error);
  });

  it('is each problem of its fields', async () => {
    const problems = [{ id: 'a', field: 'title', reason: 'no' }];
    expect(await problemsOf(new ArticlesInvalidError(problems), { id: 'a' })).toEqual(problems);
  });
});
