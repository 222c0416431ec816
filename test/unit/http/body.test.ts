import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readBody } from '../../../src/http/body.ts';

function respond(chunks: readonly Uint8Array[], length?: string): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, length === undefined ? {} : { headers: { 'content-length': length } });
}

const chunk = fc
  .record({ size: fc.nat(20_000), value: fc.nat(255) })
  .map(({ size, value }) => new Uint8Array(size).fill(value));
const chunks = fc.array(chunk, { maxLength: 8 });
/** The length of the compressed body, or any value that a custom `fetch` makes up. */
const length = fc.oneof(
  fc.nat(160_000).map(String),
  fc.constantFrom(undefined, '', '-5', '1e3', 'many', '99999999999999999999'),
);

it('a body is read to its end, with any `Content-Length`', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, length, async (parts, announced) => {
      const body = await readBody(respond(parts, announced), { maxBytes: 200_000 });
      expect(Buffer.from(body).equals(Buffer.concat(parts))).toBe(true);
    }),
  );
});

it('a body that is too large is refused by its bytes, not by its length header', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, length, fc.nat(160_000), async (parts, announced, maxBytes) => {
      const { length: size } = Buffer.concat(parts);
      const reading = readBody(respond(parts, announced), { maxBytes });
      if (size <= maxBytes) expect(await reading).toHaveLength(size);
      else await expect(reading).rejects.toMatchObject({ failure: { code: 'body-too-large' } });
    }),
  );
});

it('a response without a body is empty', async () => {
  expect(await readBody(new Response(null, { status: 304 }), { maxBytes: 1 })).toHaveLength(0);
});
