import { beforeAll, describe, expect, it } from 'vitest';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { example, standardHeaders } from '../unit/webhook/signed.ts';

// Astro refuses requests of other origins (`security.checkOrigin`), and a service sends no `Origin` with its webhooks.

const service = await useService({ articles: [] });
const sites = useSites();
let site: Awaited<ReturnType<typeof sites.create>>;

beforeAll(async () => {
  site = await sites.create({
    files: {
      'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import node from '@astrojs/node';
        export default defineConfig({ adapter: node({ mode: 'standalone' }) });`,
      'src/content.config.ts': 'export const collections = {};',
      'src/pages/entries.json.ts': '',
      'src/pages/[...slug].astro': '---\nexport const prerender = false;\n---\n<p>Nothing here</p>',
      'src/pages/api/articles.ts': `
        import { webhook } from 'astro-articles/webhook';
        export const prerender = false;
        const seen = { name: 'seen', async run() {} };
        export const POST = webhook({ secret: '${example.secret}', actions: [seen] });`,
    },
  });
  await site.build(service.env);
});

describe("with Astro's origin check, a signed request", () => {
  let url: string;
  let deliveries = 0;
  beforeAll(async () => {
    ({ url } = await site.serve({}));
  });

  /** Returns the status for a signed request with these headers. */
  async function send(headers: Record<string, string>, signature?: string): Promise<number> {
    deliveries += 1;
    const seconds = Math.floor(Date.now() / 1_000);
    const signed = standardHeaders({ id: `delivery-${deliveries}`, seconds });
    const others = signature ? { 'webhook-signature': signature } : {};
    const init = {
      method: 'POST',
      headers: { ...signed, ...headers, ...others },
      body: example.body,
    };
    return (await fetch(`${url}/api/articles`, init)).status;
  }
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('is accepted as the documentation says, and with the origin of the site in any case', async () => {
    expect(await send(json)).toBe(200);
    expect(await send(form)).toBe(403);
    expect(await send({ ...json, origin: url })).toBe(200);
    expect(await send({ ...form, origin: url })).toBe(200);
  });

  it('is refused if its signature is wrong, also with the origin of the site', async () => {
    expect(await send({ ...json, origin: url }, 'v1,AAAA')).toBe(401);
  });
});
