import { type Clock, sleep } from '../shared/clock.ts';

interface Waiting<Item, Result> {
  item: Item;
  /** The time from which a batch may contain it. */
  due: number;
  /** The result of the batch that contains it. */
  result?: Promise<Result>;
}

interface Limits {
  /** Milliseconds between the beginnings of two batches. */
  window: number;
  /** The time from which the item may be part of a batch. @default now */
  due?: number;
}

/**
 * Creates a function that handles many items in few batches: the first one at once, and all items of the next
 * `window` milliseconds together. Each item waits with its own timer, because a host may stop the work of another
 * request.
 *
 * @returns a function that returns whether the item has to wait, and the result of its batch
 */
export function createBatches<Item, Result>(clock: Clock, run: (items: Item[]) => Promise<Result>) {
  const open = new Set<Waiting<Item, Result>>();
  let last = Number.NEGATIVE_INFINITY;

  function runDue(): void {
    last = clock.now();
    const batch = [...open].filter(({ due }) => due <= last);
    const result = run(batch.map(({ item }) => item));
    for (const each of batch) {
      each.result = result;
      open.delete(each);
    }
  }

  return (item: Item, { window, due = clock.now() }: Limits) => {
    const own: Waiting<Item, Result> = { item, due };
    open.add(own);
    const wait = () => Math.max(due, last + window) - clock.now();
    const take = async (): Promise<Result> => {
      while (!own.result) {
        if (wait() > 0) await sleep(clock, wait());
        else runDue();
      }
      return own.result;
    };
    return { waits: wait() > 0, result: take() };
  };
}
