import { expect, it } from 'vitest';
import { type ArticlesClientOptions, createArticlesClient } from '../../../src/client/index.ts';

const clientOf = (options: Partial<ArticlesClientOptions> = {}) =>
  createArticlesClient({ baseUrl: 'https://app.example.com', apiKey: 'key', ...options });

it.each([
  ['pageSize', 1, 500],
  ['concurrency', 1, 64],
  ['timeout', 1, 3_600_000],
  ['retries', 0, 10],
])('accepts a `%s` from %i to %i', (name, least, most) => {
  for (const value of [least, most]) expect(() => clientOf({ [name]: value })).not.toThrow();
  const kind = name === 'timeout' ? 'milliseconds,' : 'a whole number';
  const line = `\`${name}\`: expected ${kind} from ${least} to ${most}`;
  for (const value of [least - 1, most + 1, least + 0.5])
    expect(() => clientOf({ [name]: value })).toThrow(line);
});

it.each<[object, string]>([
  [{ limit: '1' }, '`query`: expected neither `limit` nor `offset`'],
  [{ offset: '1' }, '`query`: expected neither `limit` nor `offset`'],
  [{ tag: 1 }, '`query.tag`: expected text'],
])('refuses the parameters %j', (query, line) => {
  expect(() => clientOf({ query: query as Record<string, string> })).toThrow(line);
});

it.each(['baseUrl', 'apiKey', 'fetch'])('refuses a number as `%s`', (name) => {
  expect(() => clientOf({ [name]: 5 })).toThrow(`\`${name}\`: expected`);
});

it.each<[part: object, message: string]>([
  [{ limit: 501 }, '`limit`: expected a whole number from 1 to 500.'],
  [{ offset: -1 }, '`offset`: expected'],
  [{ page: 2 }, 'Unknown option `page`.'],
])('a part of the listing that cannot be requested is refused: %j', async (part, message) => {
  await expect(clientOf().listPage(part)).rejects.toThrow(message);
});
