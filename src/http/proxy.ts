/** Returns what to do where no response came, and the environment names a proxy for a URL; undefined for exceptions. */
export function hintOfProxy(href: string): string | undefined {
  const url = URL.parse(href);
  if (!url || isException(url.hostname)) return undefined;
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variables = environment();
  const proxy = URL.parse(variables[variable.toLowerCase()] || variables[variable] || '');
  return proxy?.host
    ? `${variable} names the proxy ${proxy.host}: check whether it runs, accepts the login and reaches the host, and whether ` +
        'NODE_USE_ENV_PROXY=1 is set, too, without which Node (22.21, 24 and later) uses no proxy.'
    : undefined;
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
