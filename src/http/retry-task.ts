import { ArticlesError } from '../errors.ts';
import { type Clock, sleep } from '../shared/clock.ts';
import { type Failure, FailureError } from './failure.ts';
import { decide } from './retry.ts';

const retry = { limit: 2, maxDelay: 10_000 };

export interface TaskResult {
  ok: boolean;
  attempts: number;
  /** Why the last attempt failed. Absent when it succeeded. */
  error?: string;
}

/**
 * Runs a task that is not a request to the service until it succeeds, or the retry policy gives up: three times at
 * most. Does not throw. An error of other code may be temporary, and may quote addresses and secrets, so only its
 * name is reported.
 */
export async function retryTask(clock: Clock, task: () => Promise<void>): Promise<TaskResult> {
  for (let attempts = 1; ; attempts++) {
    try {
      await task();
      return { ok: true, attempts };
    } catch (error) {
      const failure = failureOf(error);
      const history = { attempts, retries: attempts - 1, waited: 0 };
      const next = decide(failure, { history, retry, random: clock.random() });
      if (next.action === 'give-up') return { ok: false, attempts, error: failure.reason };
      await sleep(clock, next.wait);
    }
  }
}

/** Describes the error of a task. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  if (ArticlesError.is(error)) return { code: error.code, reason: error.message };
  const name = error instanceof Error ? error.name : 'an error';
  return { code: 'network', reason: `It failed with ${name}.` };
}
