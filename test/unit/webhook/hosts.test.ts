import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../helpers/bundle.ts';
import { startWorkerd, type Workerd } from '../../load/live/workerd.ts';
import { standardHeaders } from './signed.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.each([['workerd', 'worker'], ['edge-light', 'worker'], ['deno', 'worker'], ['node']])(
  'for %s it imports nothing, and stays small',
  async (...conditions) => {
    const { imports, size } = await bundle("export * from './src/webhook/index.ts';", conditions);
    expect(imports).toEqual([]);
    expect(size).toBeLessThan(8 * 1024);
  },
);

describe('in workerd', () => {
  let hook: Server;
  let calls = 0;
  let workerd: Workerd;

  beforeAll(async () => {
    hook = createServer((request, response) => {
      calls += request.method === 'POST' && request.url === '/very-secret-hook' ? 1 : 0;
      response.end('{}');
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const { port } = hook.address() as AddressInfo;
    const { code } = await bundle(
      `import { deployHook, webhook } from './src/webhook/index.ts';
       let handle;
       export default {
         fetch(request, env, context) {
           handle ??= webhook({ secret: env.SECRET, actions: [deployHook(env.HOOK)], window: 3_000 });
           return handle(request, env, context);
         },
       };`,
      ['workerd', 'worker'],
    );
    const HOOK = `http://127.0.0.1:${port}/very-secret-hook`;
    workerd = await startWorkerd(code, { SECRET: secret, HOOK });
  });
  afterAll(async () => {
    await workerd.stop();
    hook.close();
  });

  async function deliver(id: string, headers: Record<string, string> = {}) {
    const body = JSON.stringify({ id });
    const seconds = Math.floor(Date.now() / 1000);
    const response = await fetch(workerd.url, {
      method: 'POST',
      body,
      headers: { ...standardHeaders({ id, seconds, body }), ...headers },
    });
    return { status: response.status, text: await response.text() };
  }

  test('a forged delivery does nothing', async () => {
    const { status } = await deliver('msg_forged', { 'webhook-signature': 'v1,AAAA' });
    expect(status).toBe(401);
    expect(calls).toBe(0);
  });

  test('a burst of signed deliveries calls the build hook twice', async () => {
    expect(await deliver('msg_0')).toMatchObject({ status: 200 });
    expect(calls).toBe(1);
    const ids = Array.from({ length: 12 }, (_, index) => `msg_${index + 1}`);
    const responses = await Promise.all(ids.map((id) => deliver(id)));
    expect(responses.map(({ status }) => status)).toEqual(ids.map(() => 202));
    expect(calls).toBe(1);
    await expect.poll(() => calls, { timeout: 5_000 }).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect(calls).toBe(2);
    expect(responses.map(({ text }) => text).join()).not.toContain('very-secret-hook');
    expect(workerd.output()).not.toContain('very-secret-hook');
  });
});
