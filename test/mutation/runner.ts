import { readFileSync } from 'node:fs';
import { TestRunner } from 'vitest';

type Test = Parameters<TestRunner['onAfterRetryTask']>[0];

declare module 'vitest' {
  interface TaskMeta {
    /** The mutants that could change the test, and its duration without any, in ms of the processor. */
    reached?: string[];
    duration?: number;
    /** The mutants that it killed. */
    killed?: string[];
  }
}

declare global {
  var mutant: (id: string) => boolean;
  var choose: <T>(id: string, changed: () => T, original: () => T) => T;
  var switchable: (original: RegExp, others: [id: string, pattern: RegExp][]) => RegExp;
  var mutation: typeof initial | undefined;
}

const initial = {
  /** The mutant that is switched on. One that takes effect during an import is on from the start. */
  active: process.env.MUTANT ?? '',
  /** When the current test has to end with the mutant. */
  deadline: Number.POSITIVE_INFINITY,
  /** The mutants whose place the current test reached, and whose value differs, while none was on. */
  reached: new Set<string>(),
  killed: new Set<string>(),
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

/** Returns the value of an expression. A test in which a mutant has the same value cannot notice it. */
globalThis.choose = (id, changed, original) => {
  if (state.active) return mutant(id) ? changed() : original();
  const value = original();
  if (!state.reached.has(id) && !isSame(value, changed)) state.reached.add(id);
  return value;
};

/** Returns a pattern that is another one while a mutant is on. */
globalThis.switchable = (original, others) => {
  const patternOf = new Map(others);
  const active = () => patternOf.get(state.active) ?? original;
  class Switchable extends RegExp {
    // `split()` and `matchAll()` make a copy.
    static override get [Symbol.species]() {
      if (!state.active) for (const [id] of others) state.reached.add(id);
      return class extends RegExp {
        constructor(_: RegExp, flags: string) {
          super(active(), flags);
        }
      } as RegExpConstructor;
    }
    override exec(text: string) {
      const { lastIndex } = this;
      const execAt = (pattern: RegExp) => {
        pattern.lastIndex = lastIndex;
        return pattern.exec(text);
      };
      if (!state.active) {
        const resultOf = (pattern: RegExp) => {
          const found = execAt(pattern);
          return JSON.stringify([found, found?.index]);
        };
        const result = resultOf(original);
        for (const [id, pattern] of others)
          if (!state.reached.has(id) && resultOf(pattern) !== result) state.reached.add(id);
      }
      const match = execAt(active());
      this.lastIndex = active().lastIndex;
      return match;
    }
  }
  return new Switchable(original);
};

function isSame(value: unknown, changed: () => unknown): boolean {
  try {
    return Object.is(value, changed());
  } catch {
    return false;
  }
}

/** The mutants with which tests run, by the id of the test. Absent: they run without any. */
const plan: Record<string, string[]> | undefined =
  process.env.MUTANT_PLAN && JSON.parse(readFileSync(process.env.MUTANT_PLAN, 'utf8'));

/** Runs each test as it is, and then with each of its mutants that is still alive. */
export default class MutationRunner extends TestRunner {
  #queue: string[] = [];
  #started = 0;
  #used = process.cpuUsage();
  #limit = Number.POSITIVE_INFINITY;

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (process.env.MUTANT) return;
    const wanted = plan?.[test.id]?.filter((id) => !state.killed.has(id)) ?? [];
    if (plan && wanted.length === 0) {
      test.mode = 'skip';
      return;
    }
    this.#queue = ['', ...wanted];
    test.meta.killed = [];
    test.repeats = wanted.length;
  }

  override onBeforeTryTask(test: Test, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options);
    this.#started = performance.now();
    this.#used = process.cpuUsage();
    if (process.env.MUTANT) return;
    state.active = this.#queue.shift() ?? '';
    if (state.active) state.deadline = performance.now() + this.#limit;
    else state.reached.clear();
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
    const hasFailed = test.result.state === 'fail';
    state.active = '';
    if (id) {
      if (hasFailed) {
        test.meta.killed?.push(id);
        state.killed.add(id);
      }
      test.result.state = 'pass';
      delete test.result.errors;
    } else if (hasFailed) {
      // It would prove nothing about mutants.
      this.#queue = [];
    } else {
      const { user, system } = process.cpuUsage(this.#used);
      // Other programs may slow the machine down.
      Object.assign(test.meta, { reached: [...state.reached], duration: (user + system) / 1_000 });
      this.#limit = 5 * (performance.now() - this.#started) + 1_000;
    }
  }
}
