import { createArticlesClient } from '../../../src/client/index.ts';
import { createClock } from '../../helpers/clock.ts';

// Requests a page of a service's listing, and prints the result. The key is in the environment.
const { SERVICE_URL: baseUrl = '', SERVICE_KEY: apiKey = '' } = process.env;
const client = createArticlesClient(
  { baseUrl, apiKey },
  { clock: createClock({ patience: 1_500 }) },
);
const outcome = await client.listPage().then(
  ({ rows }) => ({ rows: rows.length }),
  ({ code, message, hint }) => ({ code, message, hint }),
);
process.stdout.write(JSON.stringify({ ...outcome, requests: client.traffic().requests }));
