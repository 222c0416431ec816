import { createHmac, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { idProblem } from '../client/urls.ts';
import { printable, quote } from '../errors.ts';
import { readBody } from '../http/body.ts';
import { networkFailure } from '../http/network-failure.ts';
import { readEnvironment } from '../options/environment.ts';
import { maxIds } from '../webhook/purge.ts';
import { secretProblem, signingKeys } from '../webhook/verify-request.ts';
import {
  type Arguments,
  type Command,
  CommandError,
  folder,
  pageUrl,
  text,
  usageError,
} from './command.ts';
import { out } from './terminal.ts';

/** Milliseconds. The webhook tries each action up to three times, ten seconds each. */
const timeLimit = 60_000;
/** The size limit of a response in bytes. */
const maxBytes = 1_000_000;

export const purgeCommand: Command = {
  name: 'purge',
  summary: 'Purges live pages, with a signed request to the webhook of the site',
  takes: Number.POSITIVE_INFINITY,
  help: `Usage: astro-articles purge [ids…] [options]

Sends a signed request to the webhook of a deployed site, whose purge() then invalidates the live pages
of these articles, and lists. Without ids, and with more than 100, it invalidates all pages that show
articles. It prints the response. Write \`--\` before an id that begins with a hyphen.

ARTICLES_WEBHOOK_SECRET, in the environment or in .env, is the secret of the webhook.

Options:
  --url <url>      The webhook, such as https://www.example.com/api/purge
                   (default: ARTICLES_WEBHOOK_URL in the environment or in .env)
  --root <folder>  The folder of .env (default: this one)
  --help           Shows this text
`,
  run: purge,
};

async function purge(given: Arguments): Promise<number> {
  const { positionals: ids } = given;
  for (const id of ids) {
    const problem = idProblem(id);
    const hint = 'Pass ids as the service has them.';
    if (problem) throw usageError(`${quote(id)} is not an id: ${problem}.`, hint);
  }
  const environment = readEnvironment({
    folder: folder(text(given, 'root') ?? '.'),
    mode: 'production',
  });
  const { ARTICLES_WEBHOOK_SECRET: secret, ARTICLES_WEBHOOK_URL } = environment;
  const url = webhookUrl(text(given, 'url') ?? ARTICLES_WEBHOOK_URL);
  const problem = secretProblem(secret);
  if (!secret || problem) {
    throw usageError(
      `ARTICLES_WEBHOOK_SECRET ${problem}.`,
      'Put the secret of the webhook into the environment, or into .env.',
    );
  }
  // The webhook accepts no body with very many ids.
  const named = ids.length <= maxIds ? ids : [];
  const body = named.length > 0 ? { articles: named.map((id) => ({ id })) } : {};
  const response = await send(url, secret, JSON.stringify(body));
  return report(response, url);
}

function webhookUrl(given: string | undefined): URL {
  const name = 'The address of the webhook';
  const hint = 'Pass it as --url https://www.example.com/api/purge, or set ARTICLES_WEBHOOK_URL.';
  if (given) return pageUrl(given, name, hint);
  throw usageError(`${name} is not set.`, hint);
}

/** Sends a body with a signature of the Standard Webhooks specification. */
async function send(url: URL, secret: string, body: string): Promise<Response> {
  const id = `msg_${randomUUID()}`;
  const time = Math.floor(Date.now() / 1000);
  const [key = new Uint8Array()] = signingKeys(secret);
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${signature}`,
  };
  const signal = AbortSignal.timeout(timeLimit);
  try {
    return await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  } catch (error) {
    const { message } = networkFailure(error, { host: url.host, redact: printable });
    throw new CommandError(
      `There was no response: ${message}.`,
      'Check the address of the webhook.',
    );
  }
}

/** The response of `webhook()`. */
const resultSchema = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  actions: z
    .array(
      z.object({
        action: z.string(),
        ok: z.boolean(),
        attempts: z.number(),
        error: z.string().optional(),
      }),
    )
    .default([]),
});

/** Prints the response, and returns the exit code. */
async function report(response: Response, { origin, pathname }: URL): Promise<number> {
  const { status, headers } = response;
  const address = origin + pathname;
  const body: unknown = await readBody(response, { maxBytes })
    .then((bytes) => JSON.parse(new TextDecoder().decode(bytes)))
    .catch(() => undefined);
  const result = resultSchema.safeParse(body).data;
  if (!result) {
    const location = headers.get('location');
    throw new CommandError(
      `${address} responded ${status}, which is not a response of webhook().`,
      location
        ? `It redirects to ${quote(location)}: use the address of the webhook itself.`
        : 'Check the path, and that the deployed site has the webhook as an endpoint.',
    );
  }
  const { ok, actions, error } = result;
  if (error) {
    const hint = 'ARTICLES_WEBHOOK_SECRET has to be the same here and on the host.';
    const message = `${address} refused the request (${status}): ${printable(error)}`;
    throw new CommandError(message, status === 401 ? hint : '');
  }
  out(`${address} responded ${status}.`);
  for (const { action, ok, attempts, error = '' } of actions) {
    const line = ok ? 'done' : `failed (attempts: ${attempts}). ${error}`;
    out(printable(`${action}: ${line}`));
  }
  if (status === 202) out('Its actions follow within seconds.');
  else if (!actions.some(({ action }) => action === 'purge')) {
    throw new CommandError(
      `${address} has no purge(), so it purged nothing.`,
      'Add purge() to the `actions` of the webhook, or use the address of the one that has it.',
    );
  }
  return ok && actions.every((action) => action.ok) ? 0 : 1;
}
