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
}

/** A command to the running service; the reply is the number of requests since the last command. */
export type ServiceCommand =
  | { kind: 'latency'; latency: number }
  | { kind: 'change'; id: number; content: string }
  /** The next response has status 500. */
  | { kind: 'fail' }
  /** Only returns the number of requests. */
  | { kind: 'requests' };

const { count, mediaFolder, covers }: ServiceOptions & { count: number } = JSON.parse(
  process.argv[2] ?? '',
);
const articles = benchArticles(count);
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
  service.clearRequests();
  return length;
}
