import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { decodeListed } from '../../src/client/article.ts';
import { decodePage } from '../../src/client/listing/page.ts';
import { parseIntegrationOptions } from '../../src/integration/integration-options.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { liveDefaults } from '../../src/live/live-options.ts';
import { mirrorFolder } from '../../src/mirror/location.ts';
import { defaults } from '../../src/options/options.ts';
import { version } from '../../src/shared/version.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** The rows of the table below a heading, as cells. */
function tableBelow(heading: string): string[][] {
  const section = readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const documented = new Map(
  tableBelow('Options').map(([name = '', value = '']) => [name.replaceAll('`', ''), value]),
);

it('documents every option, and no other', () => {
  const check = (path: string) => {
    const [outer = '', inner] = path.split('.');
    const given = inner ? { [outer]: { [inner]: undefined } } : { [outer]: undefined };
    expect(() => parseIntegrationOptions(given), path).not.toThrow();
  };
  for (const name of documented.keys()) check(name);

  const known = /there are (.+)/.exec(
    messageOf(() => parseIntegrationOptions({ nonsense: 1 })),
  )?.[1];
  const names = new Set([...documented.keys()].map((name) => name.split('.')[0]));
  expect([...names].toSorted()).toEqual(known?.split(', ').toSorted());
});

/** The rows of an option table, by name, with the defaults of a nested option each on its own. */
function rowsFor(options: object): [name: string, shown: string][] {
  return Object.entries(options).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? rowsFor(value).map(([inner, set]): [string, string] => [`${name}.${inner}`, set])
      : [[name, typeof value === 'string' ? `'${value}'` : JSON.stringify(value)]],
  );
}

it('documents the defaults in force', () => {
  for (const [name, shown] of rowsFor(defaults)) {
    expect(documented.get(name), name).toContain(`\`${shown}\``);
  }
});

it('documents what is different for a live collection', () => {
  const live = new Map(tableBelow('Live collections').map(([name = '', value]) => [name, value]));
  const { drafts, sanitize, ...different } = liveDefaults;
  expect({ drafts, sanitize }).toEqual({ drafts: defaults.drafts, sanitize: defaults.sanitize });
  for (const [name, shown] of rowsFor(different)) {
    expect(live.get(`\`${name}\``), name).toBe(`\`${shown}\``);
  }
  const named = [...live.keys()].flatMap((names) => names.match(/[a-zA-Z.]+/g) ?? []);
  const message = messageOf(() => liveArticlesLoader({ nonsense: 1 } as object));
  expect([...new Set(named.map((name) => name.split('.')[0]))].toSorted()).toEqual(
    /there are (.+)/.exec(message)?.[1]?.split(', ').toSorted(),
  );
});

it('shows a workflow that keeps the mirror after the install, and names the variables that are read', () => {
  const text = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const { on, jobs } = load(text) as Workflow;
  expect(Object.keys(on)).toEqual(['push', 'repository_dispatch', 'schedule']);
  const steps = jobs.build.steps;
  const cache = steps.findIndex(({ uses }) => uses?.startsWith('actions/cache@'));
  expect(cache).toBeGreaterThan(steps.findIndex(({ run }) => run === 'npm ci'));
  const kept = String(steps[cache]?.with?.path);
  expect(
    mirrorFolder({ root: '/', cacheDir: '/node_modules/.astro' }, { collection: 'x' }),
  ).toContain(kept);
  expect(Object.keys(steps.at(-1)?.env ?? {})).toEqual(['ARTICLES_BASE_URL', 'ARTICLES_API_KEY']);
});

interface Workflow {
  on: object;
  jobs: {
    build: { steps: { uses?: string; run?: string; with?: { path?: string }; env?: object }[] };
  };
}

it('shows a listing that is read as the articles that it holds', () => {
  const text = /```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const { rows, count } = decodePage(JSON.parse(text));
  expect(count).toBe(26);
  expect(rows.map((row, index) => decodeListed(row, index + 1))).toEqual([
    {
      id: '26',
      idType: 'number',
      article: expect.objectContaining({
        title: 'How tides work',
        cover_image: '/media/tides.jpg',
      }),
    },
  ]);
});

it('gives a reason for every dependency', () => {
  const explained = tableBelow('Dependencies').flatMap(
    ([names = '']) => names.match(/[a-z0-9-]+/g) ?? [],
  );
  expect(explained.toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
});

it('names the versions of the manifest', () => {
  expect(version).toBe(manifest.version);
  expect(readme).toContain(`| ${version.split('.').slice(0, 2).join('.')} |`);
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return '';
}
