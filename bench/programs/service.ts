import { type FixtureService, startService } from '../../fixtures/service.ts';
import { benchArticles } from '../articles.ts';

export interface ServiceReady {
  url: string;
  origin: string;
  apiKey: string;
}

export interface ServiceOptions {
  mediaFolder?: string;
  /** Whether each article has the cover in `mediaFolder` that is named by its id. */
  covers?: boolean;
  /** Whether each article has a time in `updated_at`. */
  updated?: boolean;
}

/** A command to the running service; the reply is the number of requests since the last command, except that of `bytes`. */
export type ServiceCommand =
  | { kind: 'latency'; latency: number }
  | { kind: 'change'; id: number; content: string }
  /** The next response has status 500. */
  | { kind: 'fail' }
  /** Only returns the number of requests. */
  | { kind: 'requests' }
  /** Only returns the bytes of the bodies that were sent since the last command of another kind. */
  | { kind: 'bytes' };

const { count, mediaFolder, covers, updated }: ServiceOptions & { count: number } = JSON.parse(
  process.argv[2] ?? '',
);
const updated_at = '2024-05-01T10:00:00Z';
const articles = benchArticles(count).map((article) => ({
  ...article,
  ...(updated && { updated_at }),
}));
const service: FixtureService = await startService({
  articles: covers
    ? articles.map((article) => ({ ...article, cover_image: `/media/${article.id}.jpg` }))
    : articles,
  keepResponses: true,
  ...(mediaFolder ? { mediaFolder } : {}),
});

process.on('message', (command: ServiceCommand) => process.send?.(execute(command)));
process.on('disconnect', () => process.exit());
const { url, origin, apiKey } = service;
process.send?.({ url, origin, apiKey } satisfies ServiceReady);

function execute(command: ServiceCommand): number {
  if (command.kind === 'latency') service.options.latency = command.latency;
  if (command.kind === 'change') service.change(command.id, { content: command.content });
  if (command.kind === 'fail') {
    service.fail({ on: 'any', fault: { kind: 'status', status: 500 } });
  }
  const { length } = service.requests;
  if (command.kind === 'bytes') return service.requests.reduce((sum, { bytes }) => sum + bytes, 0);
  service.clearRequests();
  return length;
}
