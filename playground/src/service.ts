import type { FixtureService, RequestRecord } from '../../fixtures/service.ts';

/** The path of the service's API. */
export const apiPath = '/api/integrations/project/articles/';

/** Whether a browser can open that path on this site: the dev and preview servers pass it on to the fixture service. */
export const isOpen = !process.env.ARTICLES_BASE_URL;

/** A build of this site, as the service has seen it. */
export interface Visit {
  title: string;
  requests: readonly RequestRecord[];
}

interface Scenes {
  /** Absent when another process has started the service. */
  service?: FixtureService;
  /** The builds before this one. */
  earlier: Visit[];
  /** Ends the outage that a reader has caused. */
  endOutage?: (() => void) | undefined;
}

const key = Symbol.for('playground.scenes');

/** Returns what start.ts, astro.config and the pages share, which have a copy of this module each. */
export function scenes(): Scenes {
  const holder = globalThis as { [key]?: Scenes };
  holder[key] ??= { earlier: [] };
  return holder[key];
}

/** An article that the first of the two builds of `npm start` has with another title. */
export const renamed = {
  id: 7,
  formerTitle: 'Bicycle gears',
  formerPath: '/articles/bicycle-gears-7/',
};
