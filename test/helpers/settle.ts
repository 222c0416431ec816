/** The number of operations of Web Crypto that other threads perform. */
let pending = 0;

for (const name of ['importKey', 'sign', 'digest'] as const) {
  const real = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<unknown>;
  const value = (...given: unknown[]) => {
    pending += 1;
    return real(...given).finally(() => {
      pending -= 1;
    });
  };
  Object.defineProperty(crypto.subtle, name, { value, configurable: true });
}

/** Waits for work without timers: bodies that are read, and signatures, also while other threads are busy. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 6; quiet = pending > 0 ? 0 : quiet + 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
