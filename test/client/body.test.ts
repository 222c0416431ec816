import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/client/body.ts';

function respond(chunks: readonly Uint8Array[], length?: string): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, length === undefined ? {} : { headers: { 'content-length': length } });
}

const chunks = fc.array(fc.uint8Array({ maxLength: 70_000 }), { maxLength: 8 });
/** Of compressed bytes, or of whatever a `fetch` of somebody's own makes up. */
const length = fc.oneof(
  fc.nat(300_000).map(String),
  fc.constantFrom(undefined, '', '-5', '1e3', 'many', '99999999999999999999'),
);

describe('a body', () => {
  it('is all that came, whatever its length was said to be', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, length, async (parts, said) => {
        const body = await readBody(respond(parts, said), 1_000_000);
        expect(Buffer.from(body).equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it('is refused for what came, not for what was said', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, length, fc.nat(300_000), async (parts, said, most) => {
        const { length: size } = Buffer.concat(parts);
        const reading = readBody(respond(parts, said), most);
        if (size <= most) expect(await reading).toHaveLength(size);
        else await expect(reading).rejects.toMatchObject({ kind: 'too-large' });
      }),
    );
  });
});
