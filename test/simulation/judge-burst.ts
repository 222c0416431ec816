import { expectDone, textsOf } from './judge.ts';
import { isPublished, keys, type State, type Version, webhookSecret } from './service.ts';
import { hookUrl } from './world.ts';

export type ActionName = 'purge' | 'deployHook';

/** A delivery that was sent, and its response. */
export interface Sent {
  /** The id of the article that was changed before, and the index of the first state of the service with the change. */
  id: string;
  state: number;
  body: string;
  proof: string;
  /** The time of the sender, in seconds since 1970. */
  seconds: number;
  request: { url: string; headers: Record<string, string>; text: string };
  /** The same delivery, when it was sent last. */
  earlier?: Sent | undefined;
  /** The statuses that it may have. */
  mayBe: readonly number[];
  at: number;
  turn: number;
  response?: { status: number; text: string; at: number; turn: number };
  /** When the host may stop the work for it. */
  endTurn?: number;
}

/** A call of the cache or of the build hook. */
export interface Call {
  action: ActionName;
  /** Whether the host accepted it. */
  ok: boolean;
  /** Whether the host lets the handler work. */
  isWorking: boolean;
  at: number;
  turn: number;
}

export interface Warning {
  text: string;
  turn: number;
}

/** Milliseconds between two builds. */
const buildWindow = 5_000;
/** Milliseconds between two purges on a host with a cache of its own. */
const purgeWindow = 12_000;
/** Milliseconds until the first purge of a delivery is tried, on such a host and in a process. */
const firstPurge = { host: 12_100, process: 200 };
/** The longest latency of an action, in milliseconds. */
export const maxLatency = 400;
/** Milliseconds in which an action is tried again: a build hook, and a cache, which is left alone in between. */
const retries = { deployHook: 600 + maxLatency, purge: 12_700 + 6 * maxLatency };
/** Milliseconds until the response, on hosts where work continues after it. */
const patience = 1_000;
/** The work of a timer that expires at the same time. */
const margin = 10;

/**
 * Returns the milliseconds after a delivery from which on no reader finds an older page, also none that was being rendered:
 * the second purge removes it, which a host with a cache of its own may get two windows later.
 */
export function purgeLimit({
  continues,
  refusals,
}: {
  continues: boolean;
  refusals: { action: ActionName; count: number };
}): number {
  const mayRepeat = refusals.action === 'purge' && refusals.count > 0;
  const longest = continues ? 2 * purgeWindow : purgeWindow;
  return longest + 2_000 + (mayRepeat ? retries.purge : 0);
}

export function isAccepted({ response }: Sent): boolean {
  return [200, 202, 502].includes(response?.status ?? 0);
}

/** Judges that a reader finds the page of an article as it is since its delivery, and a list from then on (promise P11). */
export function judgeVisit(
  states: readonly State[],
  { id, state, turn }: Pick<Sent, 'id' | 'state' | 'turn'>,
  page: { path: string; entry: unknown; turn: number },
): void {
  if (page.path !== id) {
    expectDone(page.turn > turn, `after a purge, a list lacks the change of ${id}`);
    return;
  }
  const since = states.slice(state).map((each) => each.get(id));
  const found = JSON.stringify(page.entry);
  const isRight = since.some((version) => isShown(page.entry, version));
  expectDone(isRight, `after a purge, ${id} is ${found}, not ${since.at(-1)?.content}`);
}

/** Judges that articles which no body has named still have the pages that were stored before. */
export function judgeOthers(
  ids: readonly string[],
  { cached, turn }: { cached: ReadonlyMap<string, { turn: number }>; turn: number },
): void {
  const gone = ids.filter((id) => (cached.get(id)?.turn ?? turn) >= turn);
  expectDone(gone.length === 0, `the pages of ${gone} were purged, which no body names`);
}

function isShown(entry: unknown, version: Version | undefined): boolean {
  if (!version || !isPublished(version)) return entry === undefined;
  const { data, rendered } = Object(entry);
  const html = String(rendered?.html);
  return (
    data?.title === version.title && textsOf(version.content).every((text) => html.includes(text))
  );
}

/** Judges what a site has done for a burst of deliveries. */
export function judgeBurst(
  sent: readonly Sent[],
  {
    calls,
    warnings,
    continues,
  }: { calls: readonly Call[]; warnings: readonly Warning[]; continues: boolean },
): void {
  for (const each of sent) judgeResponse(each, { calls, warnings, continues });
  const accepted = sent.filter(isAccepted);
  judgeBuilds(
    accepted,
    calls.filter(({ action }) => action === 'deployHook'),
  );
  judgePurges(
    accepted,
    calls.filter(({ action }) => action === 'purge'),
    continues,
  );
  const isStopped = continues && calls.some(({ isWorking }) => !isWorking);
  expectDone(!isStopped, 'an action runs after the host may stop the work');
  const shown = [
    ...sent.map(({ response }) => response?.text),
    ...warnings.map(({ text }) => text),
  ];
  for (const secret of [webhookSecret, hookUrl, keys.main]) {
    expectDone(!shown.some((text) => text?.includes(secret)), 'a response or the log has a secret');
  }
}

function judgeResponse(
  { mayBe, response, at, turn, endTurn, proof, body }: Sent,
  {
    calls,
    warnings,
    continues,
  }: { calls: readonly Call[]; warnings: readonly Warning[]; continues: boolean },
): void {
  const described = `the delivery at ${at} (${proof}, ${body})`;
  expectDone(response !== undefined, `${described} has no response`);
  const { status, text } = response as NonNullable<Sent['response']>;
  expectDone(
    mayBe.includes(status),
    `${described} has the response ${status} ${text}, not ${mayBe}`,
  );
  const { at: end = 0, turn: last = 0 } = response ?? {};
  const longest = continues ? patience : buildWindow + retries.purge;
  expectDone(end - at <= longest + margin, `the response to ${described} took ${end - at} ms`);
  if (![200, 202, 502].includes(status)) {
    expectDone(end === at, `the refusal of ${described} took ${end - at} ms`);
    return;
  }
  for (const action of ['purge', 'deployHook'] as const) {
    const since = (until: number) =>
      calls.filter((call) => call.action === action && call.turn > turn && call.turn < until);
    const isDone = since(last).some(({ ok }) => ok);
    expectDone(status !== 200 || isDone, `${described} has the response 200 before ${action}`);
    const until = continues ? (endTurn ?? 0) : last;
    expectDone(
      since(until).length > 0,
      `the host may stop the work for ${described} before ${action}`,
    );
    const isFailed = status === 502 && failedIn(text).includes(action);
    const isRefused = since(last).some(({ ok }) => !ok);
    expectDone(
      !isFailed || isRefused,
      `${described} reports that ${action} failed, which it did not`,
    );
    const isLogged = warnings.some(
      (warning) => warning.turn > turn && warning.text.includes(action),
    );
    expectDone(!isFailed || isLogged, `nothing in the log says that ${action} failed`);
  }
  expectDone(
    status !== 502 || failedIn(text).length > 0,
    `${described} fails without a failed action`,
  );
}

/** Returns the names of the actions that failed according to a response. */
function failedIn(text: string): string[] {
  const { actions }: { actions: { action: string; ok: boolean }[] } = JSON.parse(text);
  return actions.filter(({ ok }) => !ok).map(({ action }) => action);
}

/** Judges that a build begins after each delivery, at once or after the window, and none for other reasons. */
function judgeBuilds(accepted: readonly Sent[], calls: readonly Call[]): void {
  const isRetry = (call: Call, index: number) => {
    const before = calls[index - 1];
    return before !== undefined && !before.ok && call.at - before.at < retries.deployHook;
  };
  const runs = calls.filter((call, index) => !isRetry(call, index));
  for (const { at, turn } of accepted) {
    const last = runs.findLast((run) => run.at <= at && run.turn < turn)?.at;
    const due = Math.max(at, (last ?? Number.NEGATIVE_INFINITY) + buildWindow);
    const next = runs.find((run) => run.turn > turn);
    expectDone(next !== undefined, `no build begins after the delivery at ${at}`);
    const { at: start = 0 } = next ?? {};
    expectDone(
      start <= due + margin,
      `the delivery at ${at} starts a build at ${start}, not ${due}`,
    );
  }
  for (const [index, { at }] of runs.entries()) {
    const before = runs[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
    expectDone(at - before >= buildWindow, `builds begin at ${before} and ${at}`);
    const isWanted = accepted.some((each) => each.at >= before && each.at <= at);
    expectDone(isWanted, `a build begins at ${at} without a delivery`);
  }
  expectDone(calls.length <= 3 * runs.length, `a build hook is called ${calls.length} times`);
}

/** Judges that a purge follows each delivery in time, and that their number is bounded. */
function judgePurges(accepted: readonly Sent[], calls: readonly Call[], continues: boolean): void {
  const limit = continues ? firstPurge.host : firstPurge.process;
  for (const { at, turn } of accepted) {
    const first = calls.find((call) => call.turn > turn)?.at ?? Number.POSITIVE_INFINITY;
    expectDone(
      first - at <= limit + margin,
      `the first purge for the delivery at ${at} is at ${first}`,
    );
  }
  expectDone(accepted.length > 0 || calls.length === 0, 'a purge without a delivery');
  if (calls.some(({ ok }) => !ok)) return;
  expectDone(
    calls.length <= 3 * accepted.length,
    `${accepted.length} deliveries, ${calls.length} purges`,
  );
  const pauses = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));
  const isSparing = !continues || pauses.every((pause) => pause >= purgeWindow);
  expectDone(isSparing, `the host gets purges after ${pauses} ms`);
}
