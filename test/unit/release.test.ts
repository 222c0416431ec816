import { globSync } from 'node:fs';
import * as yaml from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { read, root } from '../helpers/readme.ts';

interface Workflow {
  permissions?: object;
  jobs: Record<string, Job>;
}

interface Job {
  permissions?: Record<string, string>;
  steps?: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root });
const parse = (path: string) => yaml.load(read(path)) as Workflow;

describe.each(workflows)('D35: the workflow %s', (path) => {
  const { permissions, jobs } = parse(path);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  test('gives no permission to all jobs', () => expect(permissions).toEqual({}));

  test('pins its actions by commit', () => {
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  });

  test('keeps no token in the checkout', () => {
    for (const { uses = '', with: inputs } of steps) {
      if (uses.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).toBe(false);
    }
  });

  test('runs no install script', () => {
    for (const { run = '' } of steps) {
      for (const [line] of run.matchAll(/npm (?:ci|install|i)\b.*/g)) {
        expect(line).toContain('--ignore-scripts');
      }
    }
  });
});

test('D35: the job that publishes runs no code of the repository, and has no token', () => {
  const { jobs } = parse('.github/workflows/release.yml');
  const [publish, ...others] = Object.values(jobs).filter(({ permissions = {} }) =>
    Object.hasOwn(permissions, 'id-token'),
  );
  expect(others).toEqual([]);
  expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  const steps = publish?.steps ?? [];
  expect(steps.some(({ uses = '' }) => uses.startsWith('actions/checkout@'))).toBe(false);
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([
    'npm publish ./package/*.tgz --access public --provenance --ignore-scripts',
  ]);
  expect(read('.github/workflows/release.yml')).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
});
