import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';

const options = { baseUrl: 'http://127.0.0.1:9/', apiKey: 'key', retry: { limit: 2 } };

/** A page of some megabytes. */
const pageOf = (id: string) =>
  JSON.stringify({ results: [{ id, content: id.repeat(2_000_000) }], next: null });

/** Sends a text in parts, and says whether anybody stopped it. */
function trickle(text: string, every: number) {
  const bytes = new TextEncoder().encode(text);
  const sent = { parts: 0, isStopped: false };
  const body = new ReadableStream({
    async start(controller) {
      for (let at = 0; at < bytes.length && !sent.isStopped; at += 200_000) {
        await sleep(every);
        if (!sent.isStopped) controller.enqueue(bytes.slice(at, at + 200_000));
        sent.parts += 1;
      }
      if (!sent.isStopped) controller.close();
    },
    cancel() {
      sent.isStopped = true;
    },
  });
  return {
    sent,
    response: new Response(body, { headers: { 'content-length': `${bytes.length}` } }),
  };
}

it('a body that still comes after its attempt was given up is stopped, and spoils no other', async () => {
  // A fetch that heeds no signal.
  const late = trickle(pageOf('a'), 60);
  const next = trickle(pageOf('b'), 20);
  const answers = [late, next];
  const fetch = async () => answers.shift()?.response ?? Response.error();
  const client = createArticlesClient({ ...options, fetch, timeout: 400 });
  const { rows } = await client.listPage();
  expect(rows).toEqual([{ id: 'b', content: 'b'.repeat(2_000_000) }]);
  expect(next.sent.parts).toBe(11);
  await expect.poll(() => late.sent.isStopped).toBe(true);
  expect(late.sent.parts).toBeLessThan(11);
});

it('what a caller throws over a row comes back to it, and nothing is asked again', async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return new Response('[{"id":1}]');
  };
  const client = createArticlesClient({ ...options, fetch });
  const mistake = new TypeError('a mistake of the caller');
  const survey = client.surveyRows(() => {
    throw mistake;
  });
  await expect(survey).rejects.toBe(mistake);
  expect(requests).toBe(1);
});
