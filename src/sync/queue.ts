/** Items to be worked on in the order in which they came, some of them at once. */
export interface Queue<T> {
  push(item: T): void;
  /** How many items wait for their turn. */
  readonly length: number;
  /** Whether nothing waits and nothing is under way. */
  isIdle(): boolean;
  /** Resolves once that is so. */
  idle(): Promise<void>;
  /** Resolves once no more than that many items wait. */
  room(most: number): Promise<void>;
  /** Forgets what waits. */
  clear(): void;
}

/**
 * An item that waits takes no more memory than itself, where a promise and a closure for each of fifty
 * thousand would take more than their listing does.
 *
 * @param work must not reject
 */
export function createQueue<T extends object>(
  work: (item: T) => Promise<void>,
  atOnce: number,
): Queue<T> {
  let waiting: (T | undefined)[] = [];
  let next = 0;
  let active = 0;
  let watchers: { isReached: () => boolean; resolve: () => void }[] = [];

  const left = () => waiting.length - next;
  const isIdle = () => left() === 0 && active === 0;

  function take(): T | undefined {
    const item = waiting[next];
    if (!item) return undefined;
    // The list itself begins anew only once it is empty, which may be at the very end.
    waiting[next] = undefined;
    next += 1;
    if (left() === 0) forget();
    return item;
  }

  async function run(): Promise<void> {
    active += 1;
    for (let item = take(); item; item = take()) {
      tell();
      await work(item);
    }
    active -= 1;
    tell();
  }

  function tell(): void {
    const reached = watchers.filter(({ isReached }) => isReached());
    watchers = watchers.filter((watcher) => !reached.includes(watcher));
    for (const { resolve } of reached) resolve();
  }

  function when(isReached: () => boolean): Promise<void> {
    if (isReached()) return Promise.resolve();
    return new Promise((resolve) => void watchers.push({ isReached, resolve }));
  }

  function forget(): void {
    waiting = [];
    next = 0;
  }

  return {
    push(item) {
      waiting.push(item);
      if (active < atOnce) void run();
    },
    get length() {
      return left();
    },
    isIdle,
    idle: () => when(isIdle),
    room: (most) => when(() => left() <= most),
    clear() {
      forget();
      tell();
    },
  };
}
