import { TestRunner } from 'vitest';

type Test = Parameters<TestRunner['onAfterRetryTask']>[0];

declare module 'vitest' {
  interface TaskMeta {
    /** The mutants with which the test ran, and those that it killed. */
    tried?: string[];
    killed?: string[];
  }
}

declare global {
  var mutant: (id: string) => boolean;
  var mutation: typeof initial | undefined;
}

const initial = {
  /** The mutant that is switched on. One that takes effect during an import is on from the start. */
  active: process.env.MUTANT ?? '',
  /** When the current test has to end with the mutant. */
  deadline: Number.POSITIVE_INFINITY,
  /** The mutants whose place the current test reached while none was on. */
  reached: new Set<string>(),
  killed: new Set<string>(),
  /** How long tests have run with each mutant, in ms. */
  spent: new Map<string, number>(),
};
// The test files of a worker share it.
globalThis.mutation ??= initial;
const state = globalThis.mutation;

/** Says in the code whether a mutant is on. */
globalThis.mutant = (id) => {
  if (!id && !state.active) return false;
  if (!state.active) state.reached.add(id);
  else if (performance.now() > state.deadline) throw new Error('It never ends.');
  return state.active === id;
};

/** The time of a test that runs with mutants, and that for which each of them is tried, in ms of the processor. */
const [minDuration, maxDuration, maxSpent] = (process.env.MUTANT_TIME ?? '').split(' ').map(Number);

/** Runs each test as it is, and then with each mutant whose place it reached and that is still alive. */
export default class MutationRunner extends TestRunner {
  #queue: string[] = [];
  #started = 0;
  #used = process.cpuUsage();
  #limit = Number.POSITIVE_INFINITY;

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (process.env.MUTANT) return;
    Object.assign(test.meta, { tried: [], killed: [] });
    this.#queue = [''];
    // Vitest compares it before each repetition, and the number is not known before the first one.
    const repeats = { valueOf: () => (this.#queue.length > 0 ? Number.POSITIVE_INFINITY : -1) };
    test.repeats = repeats as unknown as number;
  }

  override onBeforeTryTask(test: Test, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options);
    this.#started = performance.now();
    this.#used = process.cpuUsage();
    if (process.env.MUTANT) return;
    state.active = this.#queue.shift() ?? '';
    if (state.active) state.deadline = performance.now() + this.#limit;
    if (!state.active) state.reached.clear();
  }

  async runTask(test: Test): Promise<void> {
    const run = Promise.resolve(TestRunner.getTestFn(test)());
    if (!state.active || process.env.MUTANT) return run;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('It takes too long.')), this.#limit);
    return Promise.race([run, promise]).finally(() => clearTimeout(timer));
  }

  override async onAfterRetryTask(
    test: Test,
    options: { retry: number; repeats: number },
  ): Promise<void> {
    await super.onAfterRetryTask(test, options);
    if (process.env.MUTANT || !test.result) return;
    const id = state.active;
    const { user, system } = process.cpuUsage(this.#used);
    // Other programs may slow the machine down.
    const duration = (user + system) / 1_000;
    const hasFailed = test.result.state === 'fail';
    state.active = '';
    if (id) {
      test.meta.tried?.push(id);
      state.spent.set(id, (state.spent.get(id) ?? 0) + duration);
      if (hasFailed) {
        test.meta.killed?.push(id);
        state.killed.add(id);
      }
      test.result.state = 'pass';
      delete test.result.errors;
    } else if (!hasFailed && duration >= (minDuration ?? 0) && duration < (maxDuration ?? 0)) {
      this.#limit = 5 * (performance.now() - this.#started) + 1_000;
      const isAlive = (each: string) =>
        !state.killed.has(each) && (state.spent.get(each) ?? 0) < (maxSpent ?? 0);
      this.#queue = [...state.reached].filter(isAlive);
    }
  }
}
