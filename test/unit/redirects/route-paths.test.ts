import { expect, test } from 'vitest';
import { ownsPath, trimSlashes } from '../../../src/redirects/route-paths.ts';
import { route } from '../../helpers/routes.ts';

test.each<[pattern: string, path: string, other: string, isOfSite: boolean]>([
  ['/login', 'login/', 'tides/', true],
  ['/login', 'login', 'tides', true],
  ['/login', 'Login/', 'tides/', true],
  ['/login', 'logins/', 'tides/', false],
  ['/login', 'en/login/', 'en/tides/', false],
  ['/u-[name]', 'u-42/', 'tides/', true],
  ['/u-[name]', 'u-42/', 'u-7/', false],
  ['/[slug]', 'tides/', 'storms/', false],
  ['/posts/[...rest]', 'posts/2024/tides/', 'posts/2024/storms/', false],
  ['/posts/[...rest]', 'posts/tides/', 'tides/', true],
  ['/a.b', 'axb/', 'tides/', false],
])(
  'the route %s and the path %s of an article, with another article at %s',
  (pattern, ...given) => {
    const [path, other, isOfSite] = given;
    expect(ownsPath(route(pattern), path, other)).toBe(isOfSite);
  },
);

test.each([
  ['/a/b/', 'a/b'],
  ['//a//', 'a'],
  ['a', 'a'],
  ['/', ''],
])('the path %j without slashes at its ends is %j', (path, trimmed) => {
  expect(trimSlashes(path)).toBe(trimmed);
});
