import { describe, expect, it } from 'vitest';
import { perform } from '../../../src/http/attempt.ts';
import { FailureError } from '../../../src/http/failure.ts';
import { systemClock } from '../../../src/shared/clock.ts';

const failure = { code: 'unexpected-shape', reason: 'responded with nothing' } as const;

/** Reads a response. */
function receive<T>(response: Response, read: () => T | Promise<T>): Promise<T> {
  const connection = {
    fetch: async () => response,
    headers: {},
    redirects: 'same-origin',
    redact: (text: string) => text,
    clock: systemClock,
  } as const;
  const url = new URL('https://a.test');
  const spec = { url, maxBytes: 100, acceptStatus: [200, 203], read };
  return perform(connection, spec, { signal: null, requested: {} });
}

describe('a response that is read, at once or later,', () => {
  const readers = {
    'at once': (result: () => string) => () => result(),
    later: (result: () => string) => async () => {
      await Promise.resolve();
      return result();
    },
  };

  it.each(Object.entries(readers))('adds its facts to a failure: %s', async (_, reader) => {
    const response = new Response('{"a":1}', { status: 203, headers: { 'x-a': 'b' } });
    const read = reader(() => {
      throw new FailureError(failure);
    });
    const error = await receive(response, read).catch((each: unknown) => each);
    if (!(error instanceof FailureError)) return expect.fail(`no failure: ${error}`);
    expect(error.failure).toMatchObject({ code: failure.code, status: 203 });
    expect(error.failure.reason).toMatch(/^responded with nothing.*\{"a":1\}/);
    expect(error.failure.headers?.get('x-a')).toBe('b');
  });

  it.each(Object.entries(readers))('passes on any other error unchanged: %s', async (_, reader) => {
    const other = new Error('other');
    const read = reader(() => {
      throw other;
    });
    await expect(receive(new Response('x'), read)).rejects.toBe(other);
  });

  it.each(Object.entries(readers))('returns its result: %s', async (_, reader) => {
    const read = reader(() => 'result');
    expect(await receive(new Response('x'), read)).toBe('result');
  });
});
