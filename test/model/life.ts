import { createRandom } from '../../fixtures/random.ts';
import {
  type Article,
  empty,
  failed,
  type Id,
  ids,
  join,
  keysOf,
  type LoadAction,
  load,
  publish,
  type Seen,
  type World,
} from './rules.ts';

// What may happen in the world of the rules, one action after the other.

export type Action =
  | LoadAction
  | { kind: 'write' | 'rename' | 'draft' | 'break' | 'hide' | 'remove'; id: Id }
  | { kind: 'newest' | 'save' | 'restore' | 'lose cache' | 'lose store' }
  | { kind: 'site'; site: World['site'] };

/** A build or sync without a trouble. */
export const plain = {
  ...{ kind: 'load', command: 'build', isStrict: true, reading: 'complete', id: '1' },
} satisfies LoadAction;

/** A text that is equal for equal values. */
export const keyOf = (value: unknown) => JSON.stringify(value);

/** Returns the world after a sync of another process. */
function afterSync(world: World): World {
  const { commit } = load(world, world.mirror, { ...plain, command: 'sync' });
  return commit ? { ...world, mirror: commit(world.mirror) } : world;
}

/** Runs a command, and ends it where it is killed. */
function run(world: World, action: LoadAction): { world: World; seen: Seen } {
  const { command, ends, other } = action;
  const makesRequests = command !== 'offline' && world.site !== 'down';
  const killed = (after: World) => ({ world: after, seen: { ...failed('killed') } });
  if (ends === 'list' && makesRequests) return killed(world);
  let now = other === 'listing' && makesRequests ? afterSync(world) : world;
  const { known, gone, commit, ...seen } = load(now, world.mirror, action);
  if (seen.outcome !== 'synced' && seen.outcome !== 'kept') return { world: now, seen };
  const disk = now.mirror;
  const mirror = commit?.(disk) ?? disk;
  const isWritten = seen.outcome === 'synced' || keyOf(mirror) !== keyOf(disk);
  if (ends === 'history' && isWritten) return killed(now);
  if (seen.outcome === 'synced') {
    const history = join(disk.history, known);
    if (ends === 'index') return killed({ ...now, mirror: { ...disk, history } });
    if (ends === 'clean') return killed({ ...now, mirror: { ...mirror, history } });
  }
  now = { ...now, mirror };
  if (command === 'sync') return { world: now, seen };
  if (ends === 'publish') return killed(now);
  now = { ...now, store: seen.entries };
  if (other === 'publishing') now = afterSync(edit(now, { kind: 'rename', id: action.id }));

  const { current, all, history, pages } = publish({ entries: seen.entries, known, gone });
  now = {
    ...now,
    mirror: { ...now.mirror, history: join(now.mirror.history, all) },
    shown: [...new Set([...now.shown, ...Object.values(current).flat()])].sort(),
  };
  const built = { ...seen, pages, history };
  if (ends === 'deploy') return { world: now, seen: built };
  // Readers keep what leads somewhere, and what is not shown now, but may be again.
  const kept = Object.fromEntries(
    keysOf(now.reached).map((id) => [
      id,
      now.reached[id]?.filter((slug) => !current[id] || slug in pages),
    ]),
  );
  return { world: { ...now, published: history, reached: join(kept, current) }, seen: built };
}

type Edit = Extract<Action, { id: Id }>;

/** Returns the world after the service or the site has changed; the same one if there is no effect. */
function edit(world: World, { kind, id }: Pick<Edit, 'kind' | 'id'>): World {
  const former = world.service.find((article) => article.id === id);
  const others = world.service.filter((article) => article !== former);
  const { title = 0, text = 0 } = former ?? {};
  const written = { id, title, text: text === 1 ? 2 : 1, isListed: true, isUsable: true };
  if (!former && kind !== 'write') return world;
  // Readers keep its URLs, because it may come back.
  if (kind === 'remove') return { ...world, service: others };
  if (!former) return { ...world, service: [written, ...others] };
  const changed: Partial<Record<Edit['kind'], Article>> = {
    write: written,
    rename: { ...former, title: (title + 1) % 3 },
    draft: { ...former, text: 0 },
    break: { ...former, isUsable: false },
    hide: { ...former, isListed: false },
  };
  const service = world.service.map((each) => (each === former ? (changed[kind] ?? each) : each));
  return { ...world, service };
}

/** Returns the world after an action, and what a load has to show. */
export function step(world: World, action: Action): { world: World; seen?: Seen } {
  const { mirror, store, backup } = world;
  switch (action.kind) {
    case 'load':
      return run(world, action);
    case 'site':
      return { world: { ...world, site: action.site } };
    case 'newest':
      return { world: { ...world, isNewest: !world.isNewest } };
    case 'save':
      return { world: { ...world, backup: { mirror, store } } };
    case 'restore':
      return { world: { ...world, ...backup } };
    case 'lose cache':
      return { world: { ...world, mirror: empty.mirror, store: [] } };
    case 'lose store':
      return { world: { ...world, store: [] } };
    default:
      return { world: edit(world, action) };
  }
}

type Draw = <T>(values: readonly T[]) => T;

const edits = ['write', 'write', 'rename', 'rename', 'draft', 'break', 'hide', 'remove'] as const;
const troubles = ['cut', 'cached', 'lagging', 'down'] as const;
const ends = ['list', 'history', 'index', 'clean', 'publish', 'deploy'] as const;
const changes = [...(['newest', 'save', 'restore', 'lose cache', 'lose store'] as const)];

/** Everything that may happen, each with how to draw it. Stories have some of it only, so that rare things meet. */
const kinds: ((one: Draw) => Action)[] = [
  ...edits.map(
    (kind) =>
      (one: Draw): Action => ({ kind, id: one(ids) }),
  ),
  ...changes.map((kind) => (): Action => ({ kind })),
  ...(['whole', 'missing', 'down'] as const).map((site) => (): Action => ({ kind: 'site', site })),
  ...troubles.map((reading) => (one: Draw): Action => {
    const command = one(['build', 'build', 'sync'] as const);
    return { ...plain, command, reading, isStrict: one([true, false, false]), id: one(ids) };
  }),
  ...ends.map((end) => (): Action => ({ ...plain, ends: end })),
  ...(['listing', 'publishing'] as const).map(
    (other) =>
      (one: Draw): Action => ({ ...plain, other, id: one(ids) }),
  ),
  ...(['build', 'offline', 'offline'] as const).map(
    (command) => (): Action => ({ ...plain, command }),
  ),
];

function drawLoad(one: Draw): Action {
  return {
    ...plain,
    command: one(['build', 'build', 'build', 'sync']),
    isStrict: one([true, false]),
  };
}

/** Returns whether an action has an effect. With `newest`, a listing that lacks one of its first articles looks full. */
function isPossible(world: World, action: Action): boolean {
  if (action.kind !== 'load') return keyOf(step(world, action).world) !== keyOf(world);
  return !world.isNewest || ['complete', 'down'].includes(action.reading);
}

/** Draws the actions of a seed: some articles, and a load of them, come first. */
export function drawTrace(seed: number): Action[] {
  const random = createRandom(seed);
  const one: Draw = (values) => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error('there is nothing to draw from');
    return value;
  };
  const some = kinds.filter(() => random() < 0.5);
  const trace: Action[] = [...ids.map((id) => ({ kind: 'write', id }) as const), plain];
  let world = trace.reduce((now, action) => step(now, action).world, empty);
  const length = 14 + Math.floor(random() * 8);
  while (trace.length < length) {
    const draw = random() < 0.25 || some.length === 0 ? drawLoad : one(some);
    const action = draw(one);
    if (!isPossible(world, action)) continue;
    trace.push(action);
    world = step(world, action).world;
  }
  return trace;
}
