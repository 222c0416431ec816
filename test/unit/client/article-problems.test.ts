import { describe, expect, it, test } from 'vitest';
import { problemsOf } from '../../../src/client/article-problems.ts';
import {
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesListingError,
  ArticlesRequestError,
  errorCodes,
  InvalidArticlesError,
} from '../../../src/errors.ts';

const failure = (code: ArticlesErrorCode) => new ArticlesRequestError(code, 'GET …: no.');
const certain: ArticlesErrorCode[] = [
  'refused',
  'server-error',
  'unexpected-status',
  'redirect',
  'empty-body',
  'not-json',
  'bad-json',
  'bad-text',
  'body-too-large',
  'too-deep',
  'unexpected-shape',
  'wrong-article',
];
const possible: ArticlesErrorCode[] = [
  'unauthorized',
  'throttled',
  'unavailable',
  'network',
  'protocol',
  'timeout',
];

const succeeds = async () => 'a page';
const fails = async () => {
  throw new Error('no page');
};

describe('D16: the failure of a single article', () => {
  const problems = [{ id: 'a', reason: 'GET …: no.' }];

  test.each(certain)('D16: %s is a problem of the article', async (code) => {
    expect(await problemsOf(failure(code), { id: 'a', probe: fails })).toEqual(problems);
  });

  test.each(possible)('D16: %s is one if other requests succeed', async (code) => {
    const error = failure(code);
    expect(await problemsOf(error, { id: 'a', probe: succeeds })).toEqual(problems);
    await expect(problemsOf(error, { id: 'a', probe: fails })).rejects.toBe(error);
    await expect(problemsOf(error, { id: 'a' })).rejects.toBe(error);
  });

  it.each(errorCodes.filter((code) => ![...certain, ...possible].includes(code)))(
    'is never a problem of the article: %s',
    async (code) => {
      const error = failure(code);
      await expect(problemsOf(error, { id: 'a', probe: succeeds })).rejects.toBe(error);
    },
  );

  it.each([
    new Error('no'),
    undefined,
    new ArticlesListingError('id-clash', 'no'),
    new ArticlesError('server-error', 'no'),
  ])('is none of other errors: %s', async (error) => {
    await expect(problemsOf(error, { id: 'a', probe: succeeds })).rejects.toBe(error);
  });

  it('is each problem of its fields', async () => {
    const problems = [{ id: 'a', field: 'title', reason: 'no' }];
    expect(await problemsOf(new InvalidArticlesError(problems), { id: 'a' })).toEqual(problems);
  });
});
