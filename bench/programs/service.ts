import { type FixtureService, startService } from '../../fixtures/service.ts';
import { benchArticles } from '../articles.ts';

export interface ServiceReady {
  url: string;
  origin: string;
  apiKey: string;
}

/** A command to the running service; the reply is the number of requests since the last command. */
export type ServiceCommand =
  | { kind: 'latency'; latency: number }
  | { kind: 'change'; id: number; content: string }
  /** The next response has status 500. */
  | { kind: 'fail' }
  /** Only returns the number of requests. */
  | { kind: 'requests' };

const { count, mediaFolder }: { count: number; mediaFolder?: string } = JSON.parse(
  process.argv[2] ?? '',
);
const service: FixtureService = await startService({
  articles: benchArticles(count),
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
