/** Items to be worked on in the order in which they came, some of them at once. */
export interface Queue<T> {
  push(item: T): void;
  /** Resolves once no more than that many items wait for their turn. */
  room(most: number): Promise<void>;
  /** Whether nothing waits and nothing is under way. */
  isIdle(): boolean;
  /** Resolves once that is so. */
  idle(): Promise<void>;
  /** Forgets what waits. */
  clear(): void;
}

/**
 * An item that waits takes no more memory than itself, where a promise and a closure for each of fifty
 * thousand would take more than their listing does.
 *
 * @param work is given each item; what it rejects with is its own affair
 */
export function createQueue<T extends object>(
  work: (item: T) => Promise<void>,
  atOnce: number,
): Queue<T> {
  let waiting: T[] = [];
  let next = 0;
  let active = 0;
  let watchers: { isReached: () => boolean; resolve: () => void }[] = [];

  const left = () => waiting.length - next;
  const isIdle = () => left() === 0 && active === 0;

  function take(): T | undefined {
    const item = waiting[next];
    if (item) next += 1;
    if (left() === 0) clear();
    return item;
  }

  async function run(): Promise<void> {
    active += 1;
    for (let item = take(); item; item = take()) {
      await work(item).catch(() => undefined);
      tell();
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

  function clear(): void {
    waiting = [];
    next = 0;
  }

  return {
    push(item) {
      waiting.push(item);
      if (active < atOnce) void run();
    },
    room: (most) => when(() => left() <= most),
    isIdle,
    idle: () => when(isIdle),
    clear() {
      clear();
      tell();
    },
  };
}
