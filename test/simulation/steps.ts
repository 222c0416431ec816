import { createRandom } from '../../fixtures/random.ts';
import {
  acts,
  type Edit,
  type Manner,
  ownSlugs,
  type Project,
  type Trouble,
  titles,
  troubles,
} from './service.ts';
import {
  type Accident,
  collectionNames,
  corruptions,
  otherFolders,
  type Settings,
  siteStates,
} from './world.ts';

/** One thing that happens in the world. */
export type Step =
  | { kind: 'edit'; edit: Edit; project: Project }
  | { kind: 'manner'; manner: Partial<Manner> }
  | { kind: 'trouble'; troubles: Trouble[] }
  | { kind: 'site'; status: (typeof siteStates)[number] }
  | {
      kind: 'build';
      how: 'normal' | 'keep' | 'offline' | 'preview' | 'staging';
      accident?: Accident | undefined;
      /** Changes of the service before a response. */
      edits: { at: number; edit: Edit }[];
      /** When another process syncs: before a response, or before the site is published. */
      overtaken?: number | 'publishing' | undefined;
      /** Whether the site lacks its first collection. */
      isAway?: boolean;
    }
  /** `isOvertaken`: another process syncs before the refresh. */
  | { kind: 'dev'; edit: Edit; isOvertaken: boolean }
  | { kind: 'sync'; accident?: Accident | undefined }
  | { kind: 'lose'; what: 'cache' | 'store' }
  | { kind: 'restore'; back: number; isCheckout: boolean }
  | { kind: 'configure'; change: Partial<Settings> }
  | { kind: 'wait'; days: number }
  | { kind: 'flood' }
  | { kind: 'corrupt'; nth: number; how: (typeof corruptions)[number] }
  | { kind: 'foreign'; name: string };

export const quietBuild = { kind: 'build', how: 'normal', edits: [] } satisfies Step;

export const ids = ['a1', 'b2', 'c3', 'd4', '__proto__', 'plain'];
const foreignNames = [
  ...['notes.txt', 'README.md', '0123.pack', 'index.json.bak', 'index.json.1.tmp'],
  ...['texts/.gitkeep', 'images/photo.jpg', `${'0'.repeat(32)}.pack.orig`],
];

/**
 * Draws the story of a seed.
 *
 * @param builds their number in the story, for a long one
 */
export function drawSteps(seed: number, builds?: number): Step[] {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const chance = (share: number) => random() < share;
  const edit = (): Edit => ({ act: one(acts), id: one(ids), title: below(titles.length) });
  const accident = (): Accident | undefined => {
    if (!chance(0.3)) return undefined;
    const on = one(['file', 'index', 'response'] as const);
    const at = below(on === 'index' ? 12 : one([12, 60]));
    const kinds = ['killed', 'torn', 'full', 'failing', 'read-only', 'refused'] as const;
    return { kind: one(kinds), at, on };
  };
  const editDuringLoad = () => ({ at: below(8), edit: edit() });
  const localImages = (): Partial<Settings> => ({
    covers: one(['local', 'local', 'remote']),
    body: one(['local', 'remote']),
  });
  const changes = (): Partial<Settings>[] => [
    { rows: one(['compare', 'whole', { changedBy: 'updated_at' }]) },
    { bodies: one(['store', 'mirror']) },
    { hasTransform: chance(0.6) },
    { translates: chance(0.6) },
    { leavesOut: chance(0.6), entryId: one(['id', 'slug']) },
    { edition: 1 + below(3) },
    { newest: one([undefined, 2, 3]) },
    { redirects: one(['required', 'best-effort', 'off']) },
    { allowRemoval: chance(0.5), failsOnImages: chance(0.5) },
    ...[{ name: one(collectionNames) }, { name: one(collectionNames) }],
    ...[{ otherFolder: one(otherFolders) }, { otherFolder: one(otherFolders) }],
    { hasNextKey: chance(0.5), showsInDev: chance(0.5) },
    localImages(),
  ];
  const unsteady = () => one<Trouble>(['unordered', 'repeating']);
  const meeting = (): Trouble[][] => [
    ...[[], [one(troubles)], [one(troubles), one(troubles)]],
    ...[[unsteady()], ['denying' as const, unsteady()]],
    ...[['cached' as const], ['late' as const]],
  ];
  const manner = (): Step => ({
    kind: 'manner',
    manner: {
      rows: one(['full', 'full', 'summary', 'dated']),
      envelope: one(['counted', 'linked', 'array']),
      maxLimit: one([2, 2, 3, 100]),
      hasValidators: chance(0.5),
    },
  });
  const build = (): Step => ({
    kind: 'build',
    how: one(['normal', 'normal', 'normal', 'keep', 'keep', 'offline', 'preview', 'staging']),
    accident: accident(),
    edits: chance(0.2) ? Array.from({ length: 1 + below(3) }, editDuringLoad) : [],
    overtaken: chance(0.2) ? one([below(4), below(9), 'publishing' as const]) : undefined,
    isAway: chance(0.05),
  });
  /** Returns an absence: an article is away for a build, and comes back, perhaps under another slug. */
  const absence = (): Step[] => {
    const id = one(ids);
    const change = (act: Edit['act']): Step => ({
      kind: 'edit',
      edit: { act, id, title: below(titles.length) },
      project: 'main',
    });
    const leaving = change(one(['remove', 'withdraw']));
    const returning = change(one(['write', 'return']));
    return [leaving, build(), returning, change(one(['name', 'rename', 'cover'])), build()];
  };
  const kinds: [number, () => Step][] = [
    [
      14,
      () => ({
        kind: 'edit',
        edit: edit(),
        project: one(['main', 'main', 'main', 'main', 'other', 'other', 'staging']),
      }),
    ],
    [9, build],
    [1, () => ({ kind: 'dev', edit: edit(), isOvertaken: chance(0.5) })],
    [1, () => ({ kind: 'sync', accident: accident() })],
    [1, manner],
    [3, () => ({ kind: 'trouble', troubles: one(meeting()) })],
    [1, () => ({ kind: 'site', status: one(siteStates) })],
    [1, () => ({ kind: 'lose', what: one(['cache', 'store']) })],
    [1, () => ({ kind: 'restore', back: below(4), isCheckout: chance(0.3) })],
    [1, () => ({ kind: 'configure', change: one(changes()) })],
    [1, () => ({ kind: 'corrupt', nth: below(12), how: one(corruptions) })],
    [1, () => ({ kind: 'wait', days: one([0.05, 1, 10, -3]) })],
    [1, () => ({ kind: 'foreign', name: one(foreignNames) })],
  ];
  // Each kind as often as its weight.
  const drawn = kinds.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));
  const draw = () => one(drawn)();
  const first: Step[] = [manner()];
  if (chance(0.4)) first.push({ kind: 'manner', manner: { order: 'oldest-first' } });
  first.push(quietBuild);
  if (chance(0.3)) first.push({ kind: 'configure', change: { newest: one([2, 3]) } });
  if (chance(0.3)) first.push({ kind: 'configure', change: localImages() });
  const story = [...first, ...Array.from({ length: builds ? 0 : 6 + below(24) }, draw)];
  for (let count = 0; builds && count < builds; ) {
    const steps = chance(0.1) ? absence() : [draw()];
    story.push(...steps);
    count += steps.filter(({ kind }) => kind === 'build').length;
  }
  if (!chance(0.03)) return story;
  const floods = [below(story.length), below(story.length), below(story.length)];
  return story.flatMap((step, at) => (floods.includes(at) ? [step, { kind: 'flood' }] : [step]));
}

function change({ act, id, title }: Edit): string {
  if (act === 'name') return `give ${id} the slug ${ownSlugs[title]}`;
  return `${act} ${id}${act === 'write' || act === 'rename' ? ` "${titles[title]}"` : ''}`;
}

const describeAccident = ({ kind, on, at }: Accident) => `${kind} at ${on} ${at}`;

const descriptions: { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => string } = {
  edit: ({ edit, project }) => `${change(edit)}${project === 'main' ? '' : ` (${project})`}`,
  manner: ({ manner }) => `the service lists ${JSON.stringify(manner)}`,
  trouble: ({ troubles }) => `the service is ${troubles.join(' and ') || 'in order'}`,
  site: ({ status }) => `the published site is ${status}`,
  build({ how, accident, edits, overtaken, isAway }) {
    const parts = [`${how} build`, ...(accident ? [describeAccident(accident)] : [])];
    if (isAway) parts.push('without the first collection');
    for (const { at, edit } of edits) parts.push(`${change(edit)} at response ${at}`);
    const when = overtaken === 'publishing' ? 'it is published' : `response ${overtaken}`;
    if (overtaken !== undefined) parts.push(`a sync before ${when}`);
    return parts.join(', ');
  },
  dev: ({ edit, isOvertaken }) =>
    `astro dev, ${change(edit)}, ${isOvertaken ? 'sync, ' : ''}refresh`,
  sync: ({ accident }) => `sync${accident ? `, ${describeAccident(accident)}` : ''}`,
  lose: ({ what }) => `the ${what} is lost`,
  restore: ({ back, isCheckout }) =>
    `a cache is ${isCheckout ? 'checked out' : 'restored'} (${back} back)`,
  configure: ({ change }) => `set ${JSON.stringify(change)}`,
  wait: ({ days }) => `${days} days pass`,
  flood: () => 'many articles arrive or leave',
  corrupt: ({ nth, how }) => `file ${nth} of the cache is ${how}`,
  foreign: ({ name }) => `another program writes ${name}`,
};

/** Describes a step in plain words. */
export function describeStep(step: Step): string {
  return (descriptions[step.kind] as (step: Step) => string)(step);
}
