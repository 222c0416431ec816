import fc from 'fast-check';

// Runs before each file of tests. Properties draw the same values in each run, so that what they count does not depend
// on chance. `TEST_SEED` draws other ones, as the nightly workflow does.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
