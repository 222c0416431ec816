import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { read, root } from '../helpers/readme.ts';

describe('workflows', () => {
  const names = globSync('.github/workflows/*.yml', { cwd: root }).map((path) =>
    basename(path, '.yml'),
  );

  it.each(names)('%s pins actions by commit, and gives no permission by default', (name) => {
    const text = read(`.github/workflows/${name}.yml`);
    const uses = text.match(/uses: .+/g) ?? [];
    expect(uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    expect(text).toMatch(/^permissions: \{\}$/m);
    const checkouts = text.match(/actions\/checkout@.*\n +with:\n +persist-credentials: false/g);
    expect(checkouts?.length ?? 0).toBe(text.match(/actions\/checkout@/g)?.length ?? 0);
    for (const [line] of text.matchAll(/npm (?:ci|install|i)\b.*/g)) {
      expect(line).toContain('--ignore-scripts');
    }
    expect(load(text)).toHaveProperty('jobs');
  });

  it('publish in a job that runs no code of the repository or of a dependency', () => {
    const text = read('.github/workflows/release.yml');
    const { jobs } = load(text) as { jobs: Record<string, Job> };
    expect(jobs.build?.permissions).toEqual({ contents: 'read' });
    expect(jobs.publish?.permissions).toEqual({ 'id-token': 'write' });
    const commands = jobs.publish?.steps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual([expect.stringMatching(/^npm publish .*--ignore-scripts$/)]);
    expect(text).not.toContain('secrets.');
  });

  it('write only in jobs that run no code of the repository or of a dependency', () => {
    const writing = names.flatMap((name) => {
      const { jobs } = load(read(`.github/workflows/${name}.yml`)) as { jobs: Record<string, Job> };
      return Object.entries(jobs).flatMap(([job, { permissions, steps }]) =>
        JSON.stringify(permissions).includes('write') ? [[`${name}: ${job}`, steps] as const] : [],
      );
    });
    expect(writing.map(([job]) => job)).toContain('release: propose');
    for (const [job, steps] of writing) {
      const commands = steps.flatMap(({ run = '' }) => run.split('\n'));
      const code = /(?:^|[\s;&|])(?:npm(?! publish)|npx|node|pnpm|yarn|\.github\/)|^\s*\.\//;
      expect(
        commands.filter((line) => code.test(line)),
        job,
      ).toEqual([]);
    }
  });

  it('propose a version with the files that its script changes', () => {
    const text = read('.github/workflows/release.yml');
    const included = Array.from(text.matchAll(/--include='?([^\s']+)/g), ([, path]) => path);
    const script = read('.github/next-version.sh');
    for (const path of included) {
      if (!/changeset|lock|CHANGELOG/.test(path ?? '')) expect(script).toContain(path);
    }
    expect(included).toContain('.changeset/*.md');
  });
});

interface Job {
  permissions: object;
  steps: { run?: string }[];
}
