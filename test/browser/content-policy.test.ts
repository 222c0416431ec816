import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { codeBlocks } from '../helpers/readme.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { launch } from './chromium.ts';

const content = [
  '```js\nconst a = "text"; // A comment.\n```',
  '<p style="color: rgb(1, 2, 3); text-align: right">Text</p>',
  '$x^2$ and <svg viewBox="0 0 1 1"><rect style="fill: red" width="1" height="1"/></svg>',
].join('\n\n');
const service = await useService({
  articles: [{ id: 1, title: 'One', content, cover_image: null }],
});
const sites = useSites();
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
  return () => browser.close();
});

/** What `docs/security.md` adds to astro.config. */
const [documented = ''] = codeBlocks('docs/security.md').flatMap(({ code }) =>
  code.includes('styleDirective') ? (/^\+(.*)$/m.exec(code)?.[1] ?? []) : [],
);

/** Builds a site with a policy. Returns the warning about it, and how the elements of the article look. */
async function look(security: string) {
  const site = await sites.create({
    files: {
      'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        export default defineConfig({ integrations: [articles()], ${security} });`,
    },
  });
  await site.build(service.env);
  const { url } = await site.preview();
  const page = await browser.newPage();
  await page.goto(`${url}/one-1`);
  const policies = await page.locator('meta[http-equiv="content-security-policy"]').count();
  const elements = page.locator('pre, pre *, p, rect');
  const styles = await elements.evaluateAll((all) =>
    all.map((element) => {
      const { color, backgroundColor, textAlign, fill } = getComputedStyle(element);
      return [element.tagName, color, backgroundColor, textAlign, fill].join(' ');
    }),
  );
  await page.close();
  return { policies, styles };
}

it('an article loses styles under a Content Security Policy, and none with the setting of the documentation', async () => {
  const none = await look('');
  expect(none).toMatchObject({ policies: 0 });
  expect(new Set(none.styles).size).toBeGreaterThan(5);
  const strict = await look('security: { csp: true }');
  expect(strict).toMatchObject({ policies: 1 });
  expect(strict.styles).not.toEqual(none.styles);
  expect(await look(documented)).toEqual({ ...none, policies: 1 });
});
