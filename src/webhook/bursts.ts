import { retryTask, type TaskResult } from '../http/retry.ts';
import { type Clock, sleep } from '../shared/clock.ts';
import type { WebhookAction, WebhookEvent } from './actions.ts';

/** An action with a pace of its own. Times are in milliseconds. */
export interface PacedAction extends WebhookAction {
  /** Returns the time between two runs. It may depend on whether work can continue after the response. */
  window?(continues: boolean): number;
  /** The time until the run that the response waits for, and the times from it to further runs. @default [0] */
  delays?: readonly [first: number, ...more: number[]];
}

/** A request that was accepted. */
export type AcceptedEvent = Omit<WebhookEvent, 'signal' | 'bodies'>;

export interface ActionReport extends TaskResult {
  action: string;
}

/** A run of an action, which may be for several requests. It has no report before it begins. */
interface Run {
  start: number;
  events: AcceptedEvent[];
  report?: Promise<ActionReport>;
}

/** Milliseconds for one attempt. */
const attemptLimit = 10_000;

/**
 * Creates a function that runs an action for many requests in few runs: for the first one at once, and for all
 * requests of the next `window` milliseconds together.
 *
 * @param window the window of an action without a pace of its own
 * @returns a function that returns the report of the run that the response waits for, and the end of all runs
 */
export function createBursts(action: PacedAction, window: number, clock: Clock) {
  const { delays: [delay, ...more] = [0] } = action;
  let runs: Run[] = [];

  return (event: AcceptedEvent) => {
    const pause = action.window?.(event.waitUntil !== undefined) ?? window;

    /** Adds the request to a run that begins within a window, or to a new one. */
    function joinRun(due: number): Run {
      runs = runs.filter(({ start }) => start + pause > clock.now());
      const next = runs.find((run) => !run.report && run.start >= due && run.start <= due + pause);
      const ends = runs.filter(({ start }) => start <= due).map(({ start }) => start + pause);
      const run = next ?? { start: Math.max(due, ...ends), events: [] };
      if (!next) runs.push(run);
      run.events.push(event);
      return run;
    }

    /** Waits with a timer of this request, because a host may stop the work of any other request. */
    async function beginRun(run: Run): Promise<ActionReport> {
      const wait = run.start - clock.now();
      if (wait > 0) await sleep(clock, wait);
      run.report ??= runAction(action, run.events, clock);
      return run.report;
    }

    const first = joinRun(clock.now() + delay);
    const report = beginRun(first);
    const rest = more.map((time) => beginRun(joinRun(first.start + time)));
    return { report, all: Promise.all([report, ...rest]) };
  };
}

/** Runs an action until it succeeds, three times at most. Logs its failure, and does not throw. */
export async function runAction(
  action: WebhookAction,
  events: readonly AcceptedEvent[],
  clock: Clock,
): Promise<ActionReport> {
  const latest = events.reduce((_, event) => event);
  const bodies = events.map(({ body }) => body);
  const run = async () =>
    action.run({ ...latest, bodies, signal: AbortSignal.timeout(attemptLimit) });
  const report = { action: action.name, ...(await retryTask(clock, run)) };
  // Astro's logger, or the console.
  const { logger = console } = Object(latest.context);
  const failed = `The webhook's ${action.name} failed (attempts: ${report.attempts}).`;
  if (report.error) logger.warn(`[astro-articles] ${failed} ${report.error}`);
  return report;
}
