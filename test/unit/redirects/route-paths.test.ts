import { expect, it } from 'vitest';
import { ownsPath, trimSlashes } from '../../../src/redirects/route-paths.ts';
import { route } from '../../helpers/routes.ts';

it.each([
  ['/a', 'a'],
  ['a/', 'a'],
  ['//a/b//', 'a/b'],
  ['a//b', 'a//b'],
  ['/', ''],
  ['', ''],
])('the path %j without slashes around it is %j', (path, trimmed) => {
  expect(trimSlashes(path)).toBe(trimmed);
});

it.each([
  ['/login', '/login', '/tides', true],
  ['/login', 'Login/', '/tides', true],
  ['/login', '/logins', '/tides', false],
  ['/', '/', '/tides', true],
  ['/[slug]', '/login', '/tides', false],
  ['/u-[id]', '/u-42', '/tides', true],
  ['/[...path]', '/posts/a', '/posts/b', false],
])(
  'the route %s owns the path %s, with the other article at %s: %s',
  (pattern, path, other, owns) => {
    expect(ownsPath(route(pattern), path, other)).toBe(owns);
  },
);

// As Astro makes them for `trailingSlash: 'never'` and 'always'.
it.each([
  [/^\/login$/, '/login/'],
  [/^\/login\/$/, '/login'],
])('a route whose pattern is %s owns the path %s, too', (patternRegex, path) => {
  expect(ownsPath(route('/login', { patternRegex }), path, '/tides')).toBe(true);
});
