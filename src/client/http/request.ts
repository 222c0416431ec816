import { sleep } from '../../shared/clock.ts';
import { attempt, type Connection, type Question, ReadingError } from './attempt.ts';
import { type Fault, FaultSignal, toFault, toRequestError } from './failure.ts';
import { createPace, totalTimeout, type Until } from './rate-limit.ts';
import { type Decision, decide } from './retry.ts';

/** What a client did so far. */
export interface Traffic {
  /** Requests sent, every attempt counted. */
  requests: number;
  /** Of those, the ones that were sent again. */
  retries: number;
  /** How often the service made everybody wait. */
  pauses: number;
}

/** One attempt that ended, for logs. */
export interface AttemptEvent {
  url: string;
  /** Counted from 1. */
  attempt: number;
  /** Milliseconds that the attempt took. */
  duration: number;
  /** What went wrong; absent when nothing did. */
  failure?: string;
}

export interface AskOptions {
  concurrency: number;
  /** Milliseconds for one attempt, from asking to the last byte. */
  timeout: number;
  retry: { limit: number; maxDelay: number; countThrottled: boolean };
  onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

export interface Asker {
  /**
   * Asks until there is an answer of the right shape, or no sense in asking again.
   *
   * @throws {ArticlesRequestError} when the last attempt failed; the signal's reason when aborted.
   */
  ask<T>(question: Question<T>, until: Until): Promise<T>;
  traffic(): Traffic;
}

type Outcome<T> = { value: T } | { fault: Fault; decision: Decision };

const freeRetries = 20;
const retriesPerSuccess = 0.1;

export function createAsker(connection: Connection, options: AskOptions): Asker {
  const { clock, redact } = connection;
  const pace = createPace({ concurrency: options.concurrency, clock });
  let requests = 0;
  let retries = 0;
  // When everything fails, a run must not wait out the retries of every single request.
  let budget = freeRetries;

  async function ask<T>(question: Question<T>, until: Until): Promise<T> {
    let counted = 1;
    for (let attempt = 1; ; attempt++) {
      const task = () => once(question, { ...until, attempt, counted });
      const outcome = await pace.run(task, until).catch((error) => outOfTime(error));
      if ('value' in outcome) return outcome.value;

      const { fault, decision } = outcome;
      if (!('wait' in decision)) {
        const { stop: note, code = fault.code } = decision;
        const shown = { ...fault, code, reason: redact(fault.reason) };
        throw toRequestError(shown, { url: question.url, attempts: attempt, note });
      }
      retries += 1;
      if (decision.counted) {
        counted += 1;
        budget -= 1;
      }
      // After a throttled answer the shared pause does the waiting.
      if (!decision.throttled) await sleep(clock, decision.wait, until.signal);
    }
  }

  async function once<T>(
    question: Question<T>,
    standing: Until & { attempt: number; counted: number },
  ): Promise<Outcome<T>> {
    const started = clock.now();
    const timeLeft = standing.deadline - started;
    if (timeLeft <= 0) return { fault: totalTimeout, decision: {} };

    requests += 1;
    const event = { url: question.url.href, attempt: standing.attempt };
    const isLast = timeLeft < options.timeout;
    const outcome = await attempt(connection, question, {
      timeout: isLast ? timeLeft : options.timeout,
      late: isLast ? totalTimeout : undefined,
      signal: standing.signal,
    }).then(
      (value): Outcome<T> => ({ value }),
      (error): Outcome<T> => {
        standing.signal?.throwIfAborted();
        // It is no fault of the service, and would come again with every attempt.
        if (error instanceof ReadingError) throw error.cause;
        const fault = toFault(error, { redact, host: question.url.host });
        return { fault, decision: next(fault, standing) };
      },
    );
    if ('value' in outcome) {
      pace.advance();
      budget += retriesPerSuccess;
    } else if ('wait' in outcome.decision && outcome.decision.throttled) {
      pace.pause(outcome.decision.wait);
    }
    const failure = 'fault' in outcome ? { failure: redact(outcome.fault.reason) } : {};
    options.onAttempt?.({ ...event, duration: clock.now() - started, ...failure });
    return outcome;
  }

  function next(
    fault: Fault,
    { attempt, counted, deadline }: Until & { attempt: number; counted: number },
  ) {
    return decide(fault, {
      attempt,
      counted,
      ...options.retry,
      timeLeft: deadline - clock.now(),
      budget: budget >= 1,
      random: clock.random(),
    });
  }

  return { ask, traffic: () => ({ requests, retries, pauses: pace.pauses }) };
}

/** Waiting for a turn can fail by itself, when the turn would come after the deadline. */
function outOfTime(error: unknown): { fault: Fault; decision: Decision } {
  if (error instanceof FaultSignal) return { fault: error.fault, decision: {} };
  throw error;
}
