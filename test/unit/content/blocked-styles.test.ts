import { expect, it } from 'vitest';
import { blockedStyles } from '../../../src/content/blocked-styles.ts';
import type { Version } from '../../../src/load/article-version.ts';

/** An article that is shown, with or without inline styles. */
const version = (id: string, hasStyles?: true) =>
  ({ article: { id, renderings: [{ hasStyles }] }, transformed: { id } }) as Version;

const versions = [version('code', true), version('plain'), version('styled', true)];
const leftOut = { article: { id: 'draft' }, leftOut: 'draft' } as Version;
const warningsWith = (csp: unknown, all = versions) =>
  blockedStyles({ security: { csp } } as never, all);

const attributes = { resource: "'unsafe-inline'", kind: 'attribute' };
const lost = ['code', 'styled'];

it.each<[what: string, csp: unknown, ids: string[]]>([
  ['no policy', false, []],
  ['no settings of a policy', undefined, []],
  ["Astro's policy", true, lost],
  ['a policy that says nothing of styles', {}, lost],
  [
    'a source for elements',
    { styleDirective: { resources: [{ ...attributes, kind: 'element' }] } },
    lost,
  ],
  ['a policy with a source of styles', { styleDirective: { resources: ["'self'"] } }, lost],
  ['what the warning says', { styleDirective: { resources: [attributes] } }, []],
  ['inline styles', { styleDirective: { resources: ["'self'", "'unsafe-inline'"] } }, []],
  [
    'hashes of its attributes',
    { styleDirective: { hashes: [{ hash: 'sha256-', kind: 'attribute' }] } },
    [],
  ],
])('names the articles whose inline styles are blocked, with %s', (_, csp, ids) => {
  expect(warningsWith(csp).flatMap((notice) => notice.ids)).toEqual(ids);
});

it('is one warning, which says what is lost', () => {
  const [warning, ...more] = warningsWith(true);
  expect(more).toEqual([]);
  expect(warning?.text).toMatch(/colours of code .* are lost \(articles "code", "styled"\)/);
  expect(warningsWith(true, [version('code', true)])[0]?.text).toContain('(article "code")');
});

it('says nothing of articles without inline styles, or that are left out', () => {
  expect(warningsWith(true, [version('plain'), leftOut])).toEqual([]);
});
