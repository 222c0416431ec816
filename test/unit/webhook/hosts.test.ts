import { createServer } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../../fixtures/listen.ts';
import { bundle } from '../../helpers/bundle.ts';
import { startWorkerd, type Workerd } from '../../load/live/workerd.ts';
import { standardHeaders } from './signed.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('in workerd', () => {
  let calls = 0;
  let workerd: Workerd;

  beforeAll(async () => {
    const hook = createServer((request, response) => {
      calls += request.method === 'POST' && request.url === '/very-secret-hook' ? 1 : 0;
      response.end('{}');
    });
    const { port, close } = await listen(hook, { port: 0, host: '127.0.0.1' });
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
    return () => Promise.all([workerd.stop(), close()]);
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
