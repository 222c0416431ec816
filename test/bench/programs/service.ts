import { type FixtureService, startService } from '../../../fixtures/service.ts';
import { benchArticles } from '../articles.ts';

export interface ServiceReady {
  url: string;
  origin: string;
  apiKey: string;
}

/** What the service can be told while it runs. */
export type ServiceTold =
  | { kind: 'latency'; latency: number }
  | { kind: 'change'; id: number; content: string }
  /** The next answer is a 500. */
  | { kind: 'fail' }
  /** Asks for the requests since the last time. */
  | { kind: 'requests' };

const { count, mediaFolder }: { count: number; mediaFolder?: string } = JSON.parse(
  process.argv[2] ?? '',
);
const service: FixtureService = await startService({
  articles: benchArticles(count),
  keepResponses: true,
  ...(mediaFolder ? { mediaFolder } : {}),
});

process.on('message', (told: ServiceTold) => process.send?.(answer(told)));
process.on('disconnect', () => process.exit());
const { url, origin, apiKey } = service;
process.send?.({ url, origin, apiKey } satisfies ServiceReady);

function answer(told: ServiceTold): number {
  if (told.kind === 'latency') service.options.latency = told.latency;
  if (told.kind === 'change') service.change(told.id, { content: told.content });
  if (told.kind === 'fail') {
    service.fail({ on: 'any', fault: { kind: 'status', status: 500 } });
  }
  const { length } = service.requests;
  service.clearRequests();
  return length;
}
