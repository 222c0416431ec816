/** Returns what Node's `fetch` connects with; undefined before its first request, and in other runtimes. */
export function globalDispatcher(): object | undefined {
  for (const version of [1, 2]) {
    const dispatcher = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    if (dispatcher) return dispatcher;
  }
  return undefined;
}

/** A proxy that the environment names for a URL. */
export interface Proxy {
  variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
  host: string;
  /** Whether Node's `fetch` connects with it. */
  isUsed: boolean;
}

/** Finds the proxy of a URL; undefined for this machine, and for hosts that need no proxy. */
export function findProxy(href: string): Proxy | undefined {
  const url = URL.parse(href);
  if (!url || isException(url.hostname)) return undefined;
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variables = environment();
  const host = URL.parse(variables[variable.toLowerCase()] || variables[variable] || '')?.host;
  if (!host) return undefined;
  return { variable, host, isUsed: /Proxy/.test(globalDispatcher()?.constructor.name ?? '') };
}

/** Returns whether a host is this machine, or needs no proxy. */
function isException(host: string): boolean {
  const { NO_PROXY = '', no_proxy: exceptions = NO_PROXY } = environment();
  const matches = (name: string) =>
    name === '*' || host === name || host.endsWith(name.replace(/\*?\.?/, '.'));
  const names = exceptions.split(/[\s,]+/).filter(Boolean);
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host) || names.some(matches);
}

function environment(): Record<string, string | undefined> {
  return Object(Reflect.get(globalThis, 'process')).env ?? {};
}

/** Returns the status with which a proxy has refused a connection. */
export function refusalOfProxy(error: unknown): number | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; depth++) {
    const [, status] = /Proxy response \((\d+)\)/.exec(cause.message) ?? [];
    if (status) return Number(status);
    cause = cause.cause;
  }
  return undefined;
}

/** Returns what to do about a proxy that refuses a request. */
export function hintOfRefusal(status: number): string {
  return status === 407
    ? 'The proxy requires a login: set HTTPS_PROXY and HTTP_PROXY to `http://user:password@host:port`.'
    : 'The proxy refuses this host: check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.';
}

/** Returns what to do where no response came, although a proxy is set. */
export function hintOfProxy({ variable, isUsed }: Proxy): string {
  if (isUsed) return `Check ${variable}, whether the proxy runs, and whether it reaches the host.`;
  return (
    `${variable} is set, and this process does not use the proxy. Set NODE_USE_ENV_PROXY=1, too, which Node 22.21, ` +
    'Node 24 and later versions read.'
  );
}
