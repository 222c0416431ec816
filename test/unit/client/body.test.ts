import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/client/http/body.ts';
import { createBuffers } from '../../../src/client/http/buffer-pool.ts';

function respond(chunks: readonly Uint8Array[], length?: string): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, length === undefined ? {} : { headers: { 'content-length': length } });
}

const buffers = createBuffers();
/** Reads a body with the memory of those before it. */
const readAsBuffer = (parts: readonly Uint8Array[], said: string | undefined, maxBytes: number) =>
  readBody(respond(parts, said), { maxBytes, buffers }, (body) => Buffer.from(body));

const chunk = fc
  .record({ size: fc.nat(200_000), value: fc.nat(255) })
  .map(({ size, value }) => new Uint8Array(size).fill(value));
const chunks = fc.array(chunk, { maxLength: 8 });
/** Of compressed bytes, or of whatever a `fetch` of somebody's own makes up. */
const length = fc.oneof(
  fc.nat(1_600_000).map(String),
  fc.constantFrom(undefined, '', '-5', '1e3', 'many', '99999999999999999999'),
);

describe('a body', () => {
  it('is all that came, whatever its length was said to be', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, length, async (parts, said) => {
        const body = await readAsBuffer(parts, said, 2_000_000);
        expect(body.equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it('is refused for what came, not for what was said', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, length, fc.nat(1_600_000), async (parts, said, most) => {
        const { length: size } = Buffer.concat(parts);
        const reading = readAsBuffer(parts, said, most);
        if (size <= most) expect(await reading).toHaveLength(size);
        else await expect(reading).rejects.toMatchObject({ kind: 'too-large' });
      }),
    );
  });

  it('has its memory to itself, whatever becomes of those beside it', async () => {
    const fate = fc.constantFrom('read', 'thrown at', 'too large');
    const bodies = fc.array(fc.tuple(chunks, length, fate), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, async (all) => {
        const outcomes = await Promise.allSettled(
          all.map(([parts, said, fate]) => {
            if (fate === 'read') return readAsBuffer(parts, said, 2_000_000);
            if (fate === 'too large') return readAsBuffer(parts, said, 1);
            return readBody(respond(parts, said), { maxBytes: 2_000_000, buffers }, () => {
              throw new Error('no');
            });
          }),
        );
        for (const [index, [parts, , fate]] of all.entries()) {
          const outcome = outcomes[index];
          if (fate !== 'read' || outcome?.status !== 'fulfilled') continue;
          expect(outcome.value.equals(Buffer.concat(parts))).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['with its length', true],
    ['without', false],
  ])('takes the memory of the one before it (%s)', async (_, isSaid) => {
    const own = createBuffers();
    const used = new Set<ArrayBufferLike>();
    for (const size of [5_000_000, 5_100_000, 4_000_000, 200_000]) {
      const page = respond([new Uint8Array(size)], isSaid ? String(size) : undefined);
      await readBody(page, { maxBytes: 32_000_000, buffers: own }, ({ buffer }) =>
        used.add(buffer),
      );
    }
    expect(used.size).toBe(1);
  });
});
