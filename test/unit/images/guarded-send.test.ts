import { createServer, Agent as HttpAgent } from 'node:http';
import net, { type LookupFunction } from 'node:net';
import { types } from 'node:util';
import {
  Agent,
  type Dispatcher,
  EnvHttpProxyAgent,
  getGlobalDispatcher,
  ProxyAgent,
  setGlobalDispatcher,
} from 'undici';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { listen } from '../../../fixtures/listen.ts';
import { readBody } from '../../../src/http/body.ts';
import type { Reply } from '../../../src/http/send.ts';
import {
  createGuardedSend,
  type GuardOptions,
  isPublicAddress,
} from '../../../src/images/guarded-send.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const publicAddress = '93.184.216.34';
let port: number;
let connections = 0;

beforeAll(async () => {
  const inside = createServer((_, response) => response.end('inside'));
  inside.on('connection', () => {
    connections += 1;
  });
  const listening = await listen(inside, { port: 0, host: '::' });
  port = listening.port;
  return listening.close;
});
const before = getGlobalDispatcher();
afterEach(() => {
  setGlobalDispatcher(before);
  connections = 0;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Resolves each lookup to the next list of addresses, and then repeats the last list. */
function resolverOf(...turns: string[][]): LookupFunction & { calls: string[] } {
  const calls: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    calls.push(hostname);
    const addresses = turns[Math.min(calls.length, turns.length) - 1] ?? [];
    const records = addresses.map((address) => ({ address, family: net.isIP(address) }));
    if (options.all) callback(null, records);
    else callback(null, addresses[0] ?? '', net.isIP(addresses[0] ?? ''));
  };
  return Object.assign(lookup, { calls });
}

async function textOf({ body }: Reply): Promise<string> {
  return new TextDecoder().decode(await readBody({ body }, 1_000));
}

/** Connects to the test server instead, after the original address was checked. */
function redirectConnections(): string[] {
  const targets: string[] = [];
  vi.spyOn(HttpAgent.prototype, 'createConnection').mockImplementation((options) => {
    const { lookup, host } = options as { lookup: LookupFunction; host: string };
    return Reflect.apply(net.connect, net, [
      {
        port,
        host: net.isIP(host) ? 'literal.example' : host,
        lookup: ((hostname, options, callback) => {
          if (net.isIP(host)) {
            targets.push(host);
            return callback(null, [{ address: '127.0.0.1', family: 4 }]);
          }
          lookup(hostname, { ...options, all: true }, (error, addresses) => {
            if (error) return callback(error, []);
            targets.push(...[addresses].flat().map((entry) => Object(entry).address ?? entry));
            callback(null, [{ address: '127.0.0.1', family: 4 }]);
          });
        }) satisfies LookupFunction,
      },
    ]);
  });
  return targets;
}

const init = { redirect: 'manual' } as const;
const guard = { baseUrl: new URL('https://app.example.com/api/'), allowedHosts: [] };

async function request(url: string, options: Partial<GuardOptions> = {}) {
  const send = createGuardedSend({ ...guard, ...options });
  return textOf(await send(url, init));
}

const refusal = {
  failure: { code: 'refused', reason: expect.stringContaining('not a public address') },
};

/** Calls back as Node does for a name that is not found: with an error, and without addresses. */
const unknownAsNode: LookupFunction = (_, __, ...[callback]) =>
  Reflect.apply(callback, undefined, [new Error('unknown')]);

describe('no connection is opened', () => {
  const hosts =
    '127.0.0.1 127.0.0.1. localhost [::1] [::] [::ffff:7f00:1] [::127.0.0.1] 2130706433 0x7f.1 0177.0.0.1 127.1 ' +
    '0.0.0.0 １２７.0.0.1 ①②⑦.0.0.1';
  it.each(hosts.split(' '))('to http://%s', async (host) => {
    await expect(request(`http://${host}:${port}/x.png`)).rejects.toMatchObject(refusal);
    expect(connections).toBe(0);
  });

  it.each([
    [['::ffff:127.0.0.1']],
    [[publicAddress, '127.0.0.1']],
    [['::1', publicAddress]],
    [[]],
    [['nonsense']],
  ])('to a name with the addresses %j', async (addresses) => {
    const lookup = resolverOf(addresses);
    await expect(request(`http://a.example:${port}/`, { lookup })).rejects.toMatchObject(refusal);
    expect(connections).toBe(0);
  });

  it.each([
    ['a.example', 'http://a.example:8080/'],
    ['a.example', 'http://x.a.example/'],
    ['a.example:8080', 'http://a.example/'],
    ['a.example:80', 'http://a.example:8/'],
    ['*.example', 'http://a.example/'],
    ['*.example', 'http://*.example/'],
    ['http://a.example', 'http://a.example/'],
    ['a.example/x', 'http://a.example/x'],
    ['b@a.example', 'http://a.example/'],
    ['', 'http://a.example/'],
  ])('to a private address because the site allows %j: %s', async (host, url) => {
    const options = { allowedHosts: [host], lookup: resolverOf(['127.0.0.1']) };
    await expect(request(url, options)).rejects.toMatchObject(refusal);
    expect(connections).toBe(0);
  });

  it('to a name that has another address the second time', async () => {
    redirectConnections();
    const lookup = resolverOf([publicAddress], ['127.0.0.1']);
    expect(await request('http://a.example/', { lookup })).toBe('inside');
    await expect(request('http://a.example/', { lookup })).rejects.toMatchObject(refusal);
    expect(lookup.calls).toEqual(['a.example', 'a.example']);
    expect(connections).toBe(1);
  });
});

describe('a connection', () => {
  it('is opened to the addresses that were checked, without another lookup', async () => {
    const targets = redirectConnections();
    const lookup = resolverOf([publicAddress, '2606:4700::1111'], ['127.0.0.1']);
    expect(await request('http://a.example/', { lookup })).toBe('inside');
    expect(await request('http://8.8.8.8/', { lookup })).toBe('inside');
    expect(lookup.calls).toEqual(['a.example']);
    expect(targets).toEqual([publicAddress, '2606:4700::1111', '8.8.8.8']);
  });

  it.each([
    ['a.example', 'http://a.example/'],
    ['a.example:80', 'http://a.example/'],
    ['A.EXAMPLE:8080', 'http://a.example:8080/'],
    ['10.0.0.1:8080', 'http://10.0.0.1:8080/'],
    ['[fd00::1]:8080', 'http://[FD00:0::1]:8080/'],
  ])('may have a private address if the site allows %s: %s', async (host, url) => {
    redirectConnections();
    const options = { allowedHosts: ['other.example', host], lookup: resolverOf(['10.0.0.1']) };
    expect(await request(url, options)).toBe('inside');
  });

  it('may have a private address at the origin of the service', async () => {
    redirectConnections();
    const options = {
      baseUrl: new URL('http://a.example:8000/api/'),
      lookup: resolverOf(['10.0.0.1']),
    };
    expect(await request('http://a.example:8000/media/x.png', options)).toBe('inside');
    await expect(request('http://a.example/', options)).rejects.toMatchObject(refusal);
  });

  it('of an allowed URL is never reused for another URL', async () => {
    const lookup = resolverOf(['127.0.0.1']);
    const allowedHosts = [`a.example:${port}`];
    const send = createGuardedSend({ ...guard, allowedHosts, lookup });
    expect(await textOf(await send(`http://a.example:${port}/`, init))).toBe('inside');
    await expect(send(`http://b.example:${port}/`, init)).rejects.toMatchObject(refusal);
    expect(connections).toBe(1);
  });

  it('that fails is reported as the system does', async () => {
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 0);
    await expect(request('http://a.example/', { lookup })).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });
});

describe('behind a proxy', () => {
  it('of the environment, the proxy resolves unknown names, and private addresses are refused', async () => {
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', ({ url = '' }, socket) => {
      tunnels.push(url);
      const onward = net.connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on('error', () => end.destroy());
    });
    vi.stubEnv('HTTP_PROXY', (await temporaryServer(proxy)).url);
    vi.stubEnv('http_proxy', undefined);
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('no_proxy', undefined);
    // As Node does when it starts with `NODE_USE_ENV_PROXY` or `--use-env-proxy`.
    setGlobalDispatcher(new EnvHttpProxyAgent());

    const isUnknown = unknownAsNode;
    expect(await request('http://a.example/', { lookup: isUnknown })).toBe('inside');
    expect(tunnels).toEqual(['a.example:80']);
    const lookup = resolverOf(['127.0.0.1']);
    for (const url of [`http://127.0.0.1:${port}/`, `http://b.inside.example:${port}/`]) {
      await expect(request(url, { lookup })).rejects.toMatchObject(refusal);
    }
    expect(tunnels).toHaveLength(1);
  });
});

describe('with a dispatcher of the site', () => {
  it('images use it, for names that are unknown here, too, and no private address', async () => {
    const requested: string[] = [];
    class Recorder extends Agent {
      override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        requested.push(`${options.origin}${options.path}`);
        return super.dispatch({ ...options, origin: `http://127.0.0.1:${port}` }, handler);
      }
    }
    setGlobalDispatcher(new Recorder());
    const isPublic = resolverOf([publicAddress]);
    expect(await request('http://a.example/x.png', { lookup: isPublic })).toBe('inside');
    expect(
      await request('http://app.example.com/y.png', {
        baseUrl: new URL('http://app.example.com/'),
      }),
    ).toBe('inside');
    const isUnknown = unknownAsNode;
    expect(await request('http://b.example/z.png', { lookup: isUnknown })).toBe('inside');
    for (const host of ['127.0.0.1', '[::1]', 'c.example']) {
      const lookup = resolverOf([publicAddress, '10.0.0.1']);
      await expect(request(`http://${host}/`, { lookup })).rejects.toMatchObject(refusal);
    }
    expect(requested).toEqual([
      'http://a.example/x.png',
      'http://app.example.com/y.png',
      'http://b.example/z.png',
    ]);
  });

  it.each<[string, () => Dispatcher]>([
    ['interceptors', () => new Agent().compose((dispatch) => dispatch)],
    ['a proxy', () => new ProxyAgent('http://proxy.example')],
  ])('it is used if it has %s', async (_, make) => {
    const dispatcher = make();
    const dispatch = vi.fn<Dispatcher['dispatch']>((__, handler) => {
      handler.onError?.(new Error('used'));
      return true;
    });
    setGlobalDispatcher(
      types.isProxy(dispatcher)
        ? dispatcher.compose(() => dispatch)
        : Object.assign(dispatcher, { dispatch }),
    );
    const lookup = resolverOf([publicAddress]);
    await expect(request('http://a.example/', { lookup })).rejects.toThrow();
    expect(dispatch).toHaveBeenCalled();
  });
});

it.each([
  ['its own dispatcher', undefined],
  ['a dispatcher of the site', new Agent().compose((dispatch) => dispatch)],
])(
  'a request with %s has its headers and signal, and follows no redirect',
  async (_, dispatcher) => {
    if (dispatcher) setGlobalDispatcher(dispatcher);
    const server = createServer(({ url, headers }, response) => {
      if (url === '/a') response.writeHead(302, { location: '/b' });
      response.end(String(headers['x-name']));
    });
    const { url } = await temporaryServer(server);
    const send = createGuardedSend({ ...guard, allowedHosts: [new URL(url).host] });
    const headers = { 'x-name': 'tides' };
    expect(await textOf(await send(`${url}/b`, { ...init, headers }))).toBe('tides');
    expect((await send(`${url}/a`, init)).status).toBe(302);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(send(`${url}/b`, { ...init, signal })).rejects.toThrow();
  },
);

const notPublic = {
  'IPv4 (RFC 6890)':
    '0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.0.1 192.0.2.1 192.88.99.1 ' +
    '192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255',
  'IPv6 (RFC 6890)':
    ':: ::1 1::1 0:1::1 100::1 fc00::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001::1 2001:db8::1 3fff::1 5f00::1',
  'IPv4 within IPv6':
    '::7f00:1 ::ffff:10.0.0.1 ::ffff:0:7f00:1 64:ff9b::a00:1 64:ff9b:1::a00:1 2002:7f00:1::',
  Azure: '168.63.129.16 ::ffff:168.63.129.16',
  names: 'a.example 127.1 2130706433',
};
const isPublic = `8.8.8.8 1.1.1.1 ${publicAddress} ::ffff:8.8.8.8 2606:4700::1111 2a00:1450::1`;

describe('an address', () => {
  it.each(Object.entries(notPublic))('is not public: %s', (_, addresses) => {
    expect(addresses.split(' ').filter(isPublicAddress)).toEqual([]);
    expect(isPublicAddress('')).toBe(false);
  });

  it('is public otherwise', () => {
    expect(isPublic.split(' ').filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});
