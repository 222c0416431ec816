import { createArticlesClient } from '../../../src/client/index.ts';
import { createClock } from '../../helpers/clock.ts';

// Asks a service for its listing, and prints what came of it. The key is in the environment.
const { ASK_URL: baseUrl = '', ASK_KEY: apiKey = '' } = process.env;
const client = createArticlesClient({ baseUrl, apiKey }, createClock({ patience: 1_500 }));
const outcome = await client.listPage().then(
  ({ rows }) => ({ rows: rows.length }),
  ({ code, message, hint }) => ({ code, message, hint }),
);
process.stdout.write(JSON.stringify({ ...outcome, requests: client.traffic().requests }));
