/** Returns what Node's `fetch` connects with; undefined before its first request, and in other runtimes. */
export function globalDispatcher(): object | undefined {
  for (const version of [1, 2]) {
    const dispatcher = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    if (dispatcher) return dispatcher;
  }
  return undefined;
}

/** What is wrong with a proxy, and what to do. */
export interface ProxyProblem {
  code: 'refused' | 'network';
  problem: string;
  hint: string;
}

/** Returns what is wrong with the proxy that `fetch` has used, if the proxy has caused the error. */
export function proxyProblem(error: unknown, host: string): ProxyProblem | undefined {
  const text = joinMessages(error);
  const status = /Proxy response \((\d+)\)/.exec(text)?.[1];
  if (status)
    return { code: 'refused', problem: `the proxy responded ${status}`, hint: hintOf(status) };
  if (!usesProxy()) return undefined;
  const proxy = proxies().find((each) => namesProxy(text, each, host));
  if (!proxy) return undefined;
  const problem = `the proxy ${proxy.host} could not be reached`;
  return {
    code: 'network',
    problem,
    hint: 'Check HTTPS_PROXY and HTTP_PROXY, and whether the proxy runs.',
  };
}

/** Returns whether the text of an error names a proxy, and not the host behind it. */
function namesProxy(text: string, proxy: URL, host: string): boolean {
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return text.includes(proxy.hostname);
  const port = `:${proxy.port || (proxy.protocol === 'https:' ? 443 : 80)}`;
  return text.includes(port) && !host.endsWith(port);
}

/** Returns what to do about a proxy that refuses a request. */
export function hintOf(status: string | number): string {
  return Number(status) === 407
    ? 'The proxy requires a login: set HTTPS_PROXY and HTTP_PROXY to `http://user:password@host:port`.'
    : 'The proxy refuses this host: check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.';
}

/** Returns what to do if a proxy is set for a URL, and Node does not use it. */
export function unusedProxyHint(href: string): string | undefined {
  const url = URL.parse(href);
  if (!url || usesProxy() || isLocal(url.hostname)) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variables = environment();
  if (!(variables[name] || variables[name.toLowerCase()])) return undefined;
  return (
    `${name} is set, and this process does not use the proxy. Set NODE_USE_ENV_PROXY=1, too, which Node 22.21, Node 24 ` +
    'and later versions read.'
  );
}

/** Returns whether a host is this machine, or needs no proxy. */
function isLocal(host: string): boolean {
  const { NO_PROXY = '', no_proxy: exceptions = NO_PROXY } = environment();
  const isException = (name: string) =>
    name === '*' || host === name || host.endsWith(name.replace(/^\*?\.?/, '.'));
  const names = exceptions.split(/[\s,]+/).filter(Boolean);
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host) || names.some(isException);
}

function usesProxy(): boolean {
  return /Proxy/.test(globalDispatcher()?.constructor.name ?? '');
}

/** Returns the proxies that the environment names. */
function proxies(): URL[] {
  const variables = environment();
  return ['HTTPS_PROXY', 'HTTP_PROXY']
    .flatMap((name) => [variables[name.toLowerCase()], variables[name]])
    .flatMap((value) => URL.parse(value ?? '') ?? []);
}

function environment(): Record<string, string | undefined> {
  return Object(Reflect.get(globalThis, 'process')).env ?? {};
}

/** Joins the messages of an error and its causes. */
function joinMessages(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return '';
  const parts = error instanceof AggregateError ? error.errors : [error.cause];
  return [error.message, ...parts.map((part) => joinMessages(part, depth + 1))].join('\n');
}
