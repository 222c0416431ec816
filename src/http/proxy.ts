/** A proxy that the environment names for a URL. */
export interface Proxy {
  variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
  host: string;
}

/** Finds the proxy of a URL; undefined for this machine, and for hosts that need no proxy. */
export function findProxy(href: string): Proxy | undefined {
  const url = URL.parse(href);
  if (!url || isException(url.hostname)) return undefined;
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variables = environment();
  const host = URL.parse(variables[variable.toLowerCase()] || variables[variable] || '')?.host;
  return host ? { variable, host } : undefined;
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

/** Returns what to do where no response came, and a proxy is set. */
export function hintOfProxy({ variable, host }: Proxy): string {
  return (
    `${variable} names the proxy ${host}: check whether it runs, accepts the login and reaches the host, and whether ` +
    'NODE_USE_ENV_PROXY=1 is set, too, without which Node (22.21, 24 and later) uses no proxy.'
  );
}
