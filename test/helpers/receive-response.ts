import { createArticlesClient } from '../../src/client/client.ts';
import { translateApi } from '../../src/client/translate.ts';
import { list } from '../../src/load/list.ts';
import type { Load } from '../../src/load/load.ts';
import { messageOf } from '../../src/messages.ts';

// Receives one response of a service, as a load does, in a process of its own. Prints what that cost: seconds of processor
// time, and MB of memory at most. The arguments are the URL of the service, and the request that it responds to.

const [baseUrl = '', request = ''] = process.argv.slice(2);

const translated = translateApi({
  async listRows({ offset }, api) {
    const { body } = await api.get<object[] | { results: object[] }>(`rows?offset=${offset}`);
    return { rows: Array.isArray(body) ? body : body.results };
  },
  getArticle: async () => undefined,
});
const apiKey = 'a-key-of-31-characters-0123456-';
const connection = { baseUrl, apiKey, retries: 0, pageSize: 500 };
const client = createArticlesClient({
  ...connection,
  ...(request === 'translated' && { fetch: translated }),
});

const load = {
  client,
  call: {},
  options: { ...connection, rows: { changedBy: 'updated_at' } },
  before: new Map(),
  idsWithOldUrls: new Set(),
  renderer: { isReusable: true },
  onProgress() {},
} as unknown as Load;

const before = process.cpuUsage();
const received = request === 'article' ? client.getArticle('1') : list(load);
const result = await received.then(() => 'used', messageOf);
const { user, system } = process.cpuUsage(before);
const { maxRSS } = process.resourceUsage();
process.stdout.write(
  JSON.stringify({
    seconds: (user + system) / 1e6,
    megabytes: Math.round(maxRSS / 1024),
    result: result.slice(0, 300),
  }),
);
