/** The milliseconds of one turn of the event loop that count, if it takes longer. */
const most = 5;
let counted = 0;
let last = performance.now();

/** Returns a time in ms that passes only while this process runs, so that other programs cannot use up a time limit. */
export function runTime(): number {
  const now = performance.now();
  counted += Math.min(now - last, most);
  last = now;
  return counted;
}

/** Calls back after a number of milliseconds of {@link runTime}. Returns a function that cancels the call. */
export function afterRunTime(delay: number, callback: () => void): () => void {
  const due = runTime() + delay;
  let timer = setTimeout(look, Math.min(delay, most));
  function look() {
    const left = due - runTime();
    if (left <= 0) callback();
    else timer = setTimeout(look, Math.min(left, most));
  }
  return () => clearTimeout(timer);
}
