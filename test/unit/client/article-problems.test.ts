import { describe, expect, it, test } from 'vitest';
import {
  isArticleFailure,
  mayBeArticleFailure,
  problemsOf,
} from '../../../src/client/article-problems.ts';
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

describe('D16: the failure of a single article', () => {
  test.each(certain)('D16: %s is a problem of the article', (code) => {
    expect(isArticleFailure(failure(code))).toBe(true);
    expect(mayBeArticleFailure(failure(code))).toBe(true);
    expect(problemsOf(failure(code), 'a')).toEqual([{ id: 'a', reason: 'GET …: no.' }]);
  });

  test.each(possible)('D16: %s is a problem of the article if other requests succeed', (code) => {
    const error = failure(code);
    expect(isArticleFailure(error)).toBe(false);
    expect(mayBeArticleFailure(error)).toBe(true);
    expect(() => problemsOf(error, 'a')).toThrow(error);
  });

  it.each(errorCodes.filter((code) => ![...certain, ...possible].includes(code)))(
    'is never a problem of the article: %s',
    (code) => {
      expect(mayBeArticleFailure(failure(code))).toBe(false);
    },
  );

  it('is none of other errors', () => {
    const others = [
      new Error('no'),
      undefined,
      new ArticlesListingError('id-clash', 'no'),
      new ArticlesError('server-error', 'no'),
    ];
    for (const error of others) expect(mayBeArticleFailure(error)).toBe(false);
  });

  it('is each problem of its fields', () => {
    const problems = [{ id: 'a', field: 'title', reason: 'no' }];
    expect(problemsOf(new InvalidArticlesError(problems), 'a')).toEqual(problems);
  });
});
