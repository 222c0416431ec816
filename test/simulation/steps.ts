import { acts, type Edit, type Manner, type Trouble, titles, troubles } from './service.ts';
import type { Accident, Settings } from './world.ts';

/** One thing that happens in the world. */
export type Step =
  | { kind: 'edit'; edit: Edit; project: 'main' | 'staging' }
  | { kind: 'manner'; manner: Partial<Manner> }
  | { kind: 'trouble'; troubles: Trouble[] }
  | { kind: 'site'; status: 'fresh' | 'stale' | 'missing' | 'down' }
  | {
      kind: 'build';
      how: 'normal' | 'keep' | 'offline' | 'preview' | 'staging';
      accident?: Accident | undefined;
      /** Changes of the service before a response. */
      edits: { at: number; edit: Edit }[];
      /** When another process syncs: before a response, or before the site is published. */
      overtaken?: number | 'publishing' | undefined;
    }
  | { kind: 'dev'; edit: Edit }
  | { kind: 'live'; edit: Edit }
  | { kind: 'sync'; accident?: Accident | undefined }
  | { kind: 'lose'; what: 'cache' | 'store' }
  | { kind: 'restore'; back: number }
  | { kind: 'configure'; change: Partial<Settings> }
  | { kind: 'wait'; days: number }
  | { kind: 'foreign'; name: string };

export const ids = ['a1', 'b2', 'c3', 'd4', '__proto__', 'plain'];
const foreignNames = [
  ...[
    'notes.txt',
    'articles/README.md',
    'articles/0123.pack',
    'index.json.bak',
    'index.json.1.tmp',
  ],
  ...['rendered/.gitkeep', 'images/photo.jpg', `articles/${'0'.repeat(32)}.pack.orig`],
];

/** Returns a generator of equally distributed numbers from 0 up to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws the story of a seed. */
export function drawSteps(seed: number): Step[] {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const chance = (share: number) => random() < share;
  const edit = (): Edit => ({ act: one(acts), id: one(ids), title: below(titles.length) });
  const accident = (): Accident | undefined => {
    if (!chance(0.3)) return undefined;
    const on = one(['file', 'index', 'response'] as const);
    const at = below(on === 'index' ? 12 : one([12, 60]));
    return { kind: one(['killed', 'torn', 'full', 'failing']), at, on };
  };
  const edits = () =>
    chance(0.2) ? Array.from({ length: 1 + below(3) }, () => ({ at: below(8), edit: edit() })) : [];

  const manner = (): Step => ({
    kind: 'manner',
    manner: {
      rows: one(['full', 'full', 'summary', 'dated']),
      envelope: one(['counted', 'linked', 'array']),
      maxLimit: one([2, 2, 3, 100]),
      hasValidators: chance(0.5),
    },
  });
  const kinds: [number, () => Step][] = [
    [12, () => ({ kind: 'edit', edit: edit(), project: chance(0.9) ? 'main' : 'staging' })],
    [
      9,
      () => ({
        kind: 'build',
        how: one(['normal', 'normal', 'normal', 'keep', 'keep', 'offline', 'preview', 'staging']),
        accident: accident(),
        edits: edits(),
        overtaken: chance(0.2) ? one([below(4), below(9), 'publishing' as const]) : undefined,
      }),
    ],
    [1, () => ({ kind: 'dev', edit: edit() })],
    [2, () => ({ kind: 'live', edit: edit() })],
    [1, () => ({ kind: 'sync', accident: accident() })],
    [1, manner],
    [
      3,
      () => ({
        kind: 'trouble',
        troubles: one<() => Trouble[]>([
          () => [],
          () => [one(troubles)],
          () => [one(troubles), one(troubles)],
          () => ['denying', one(['unordered', 'repeating'])],
        ])(),
      }),
    ],
    [1, () => ({ kind: 'site', status: one(['fresh', 'stale', 'missing', 'down']) })],
    [1, () => ({ kind: 'lose', what: one(['cache', 'store']) })],
    [1, () => ({ kind: 'restore', back: below(4) })],
    [
      1,
      () => ({
        kind: 'configure',
        change: one<Partial<Settings>>([
          { trustList: chance(0.5) },
          { bodies: one(['store', 'mirror']) },
          { hasTransform: chance(0.6) },
          { updatedField: chance(0.5) },
          { edition: 1 + below(3) },
          { newest: one([undefined, 2, 3]) },
        ]),
      }),
    ],
    [1, () => ({ kind: 'wait', days: one([0.05, 1, 10, -3]) })],
    [1, () => ({ kind: 'foreign', name: one(foreignNames) })],
  ];
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0);
  const draw = (): Step => {
    let rest = below(total);
    for (const [weight, make] of kinds) {
      rest -= weight;
      if (rest < 0) return make();
    }
    throw new Error('no kind');
  };
  const part: Step[] = chance(0.2) ? [{ kind: 'configure', change: { newest: one([2, 3]) } }] : [];
  return [manner(), ...part, ...Array.from({ length: 6 + below(24) }, draw)];
}

/** Describes a step in plain words. */
export function describeStep(step: Step): string {
  const change = ({ act, id, title }: Edit) => {
    const named = act === 'write' || act === 'rename' ? ` "${titles[title]}"` : '';
    return `${act} ${id}${named}`;
  };
  switch (step.kind) {
    case 'edit':
      return `${change(step.edit)}${step.project === 'staging' ? ' (staging)' : ''}`;
    case 'manner':
      return `the service lists ${JSON.stringify(step.manner)}`;
    case 'trouble':
      return step.troubles.length > 0
        ? `the service is ${step.troubles.join(' and ')}`
        : 'the service recovers';
    case 'site':
      return `the published site is ${step.status}`;
    case 'build':
    case 'sync': {
      const { accident } = step;
      const parts = [step.kind === 'sync' ? 'sync' : `${step.how} build`];
      if (accident) parts.push(`${accident.kind} at ${accident.on} ${accident.at}`);
      if (step.kind === 'build') {
        for (const { at, edit } of step.edits) parts.push(`${change(edit)} at response ${at}`);
        const when =
          step.overtaken === 'publishing' ? 'it is published' : `response ${step.overtaken}`;
        if (step.overtaken !== undefined) parts.push(`a sync before ${when}`);
      }
      return parts.join(', ');
    }
    case 'dev':
      return `astro dev, ${change(step.edit)}, refresh`;
    case 'live':
      return `${change(step.edit)} and a purge while a live page is read`;
    case 'lose':
      return `the ${step.what} is lost`;
    case 'restore':
      return `a cache is restored (${step.back} back)`;
    case 'configure':
      return `set ${JSON.stringify(step.change)}`;
    case 'wait':
      return `${step.days} days pass`;
    case 'foreign':
      return `another program writes ${step.name}`;
  }
}
