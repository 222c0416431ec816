// Runs before each file of tests, and before Astro builds a site for them. `Date.now()` returns one time for all code
// that runs without a pause, because Shiki leaves the rest of a line without colours after 500 ms. The first use of a
// grammar takes so long on a busy machine, and tests compare renderings.

const { setImmediate } = globalThis;
const { now: clock } = Date;
let now: number | undefined;

Date.now = () => {
  if (now === undefined) {
    now = clock();
    setImmediate(() => {
      now = undefined;
    });
  }
  return now;
};
