import { pathToFileURL } from 'node:url';
import type { AstroConfig, AstroIntegrationLogger } from 'astro';
import { describe, expect, test } from 'vitest';
import { siteAt } from '../../../src/content/site-state.ts';
import { checkBodies, checkPrerenderer, checkSharp } from '../../../src/integration/site-checks.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const here = new URL('../../../', import.meta.url);
const sharp = { service: { entrypoint: 'astro/assets/services/sharp' } };

function configOf(config: object): AstroConfig {
  return { root: here, image: sharp, ...config } as unknown as AstroConfig;
}

describe('sharp', () => {
  const siteWithoutSharp = async () => pathToFileURL(`${await temporaryFolder()}/`);

  test('has to resolve from the site, not only from Astro', async () => {
    const root = await siteWithoutSharp();
    expect(() => checkSharp(configOf({}), {})).not.toThrow();
    expect(() => checkSharp(configOf({ root }), {})).toThrow(
      expect.objectContaining({
        code: 'sharp-missing',
        message: expect.stringContaining('Astro needs the package sharp to optimise covers'),
        hint: expect.stringContaining('`pnpm add sharp`'),
      }),
    );
  });

  test('is not needed without local images, or with another image service', async () => {
    const root = await siteWithoutSharp();
    const noop = { service: { entrypoint: 'astro/assets/services/noop' } };
    expect(() => checkSharp(configOf({ root, image: noop }), {})).not.toThrow();
    expect(() => checkSharp(configOf({ root }), { images: { covers: 'remote' } })).not.toThrow();
    const bodies = { images: { covers: 'remote', body: 'local' } } as const;
    expect(() => checkSharp(configOf({ root }), bodies)).toThrow();
  });
});

test('a build warns when texts are in the mirror, and no page has read one', () => {
  const root = new URL('file:///a-site-whose-bodies-are-in-the-mirror/');
  const warnings = (experimental: object = {}) => {
    const lines: string[] = [];
    const logger = {
      warn: (line: string) => lines.push(line),
    } as unknown as AstroIntegrationLogger;
    checkBodies(configOf({ root, experimental }), logger);
    return lines;
  };
  expect(warnings()).toEqual([]);
  siteAt(root).bodies.set('articles', [async () => undefined]);
  expect(warnings()).toEqual([expect.stringContaining('render(await withBody(entry))')]);
  expect(warnings({ incrementalBuild: true })).toEqual([]);
  siteAt(root).bodyReads = 1;
  expect(warnings()).toEqual([]);
});

describe('texts in the mirror', () => {
  const root = new URL('file:///a-site-with-an-adapter/');
  siteAt(root).bodies.set('articles', [async () => undefined]);
  const prerender = (...conditions: string[]) => ({
    environments: { prerender: { resolve: { conditions } } },
  });

  test('fail a build whose pages are prerendered in workerd, with the missing setting', () => {
    expect(() => checkPrerenderer(root, prerender('workerd', 'worker'))).toThrow(
      expect.objectContaining({
        code: 'body-missing',
        message: expect.stringContaining('collection "articles"'),
        hint: expect.stringContaining("cloudflare({ prerenderEnvironment: 'node' })"),
      }),
    );
  });

  test('pass if the setting is set, and without an adapter', () => {
    expect(() => checkPrerenderer(root, prerender('module', 'node'))).not.toThrow();
    expect(() => checkPrerenderer(root, { environments: {} })).not.toThrow();
    const other = new URL('file:///a-site-whose-bodies-are-in-the-store/');
    expect(() => checkPrerenderer(other, prerender('workerd'))).not.toThrow();
  });
});
