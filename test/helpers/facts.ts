import type { RenderedVersion, Version } from '../../src/load/article-version.ts';
import { optionsSchema } from '../../src/options/options.ts';
import { type Facts, factsOf, type Seen, type SeenService } from '../../src/report/facts.ts';
import { versionWith } from './rendered-version.ts';

const options = optionsSchema.parse({ bodies: 'mirror' });

type More = Partial<Omit<Seen, 'options' | 'service' | 'versions'>> & {
  options?: Partial<Seen['options']>;
  /** Versions, each of another article. */
  versions?: readonly Version[];
  /** What advice depends on. */
  service?: Partial<SeenService>;
};

/** Returns the facts of a load that has seen nothing but this. */
export function factsWith({ versions = [], service, options: some, ...more }: More): Facts {
  return factsOf({
    ...{ rows: [], isVerbose: false, ...more },
    options: { ...options, ...some },
    versions: new Map(versions.map((version) => [version.article.id, version])),
    service: service && {
      ...{ fields: new Map(), taken: new Set(), hasOtherEntries: false, ...service },
    },
  });
}

/** An article by the further fields of its row and of itself. */
export interface SeenArticle {
  id: string;
  row?: Record<string, unknown>;
  extra?: Record<string, unknown>;
  /** Whether the row is the whole article. */
  isWhole?: boolean;
}

/** Returns the facts of a first load of some articles. */
export function factsOfService(articles: readonly SeenArticle[], more: More = {}): Facts {
  const extraOf = new Map(articles.map(({ id, extra = {} }) => [id, extra]));
  const version = ({ id, isWhole }: SeenArticle): RenderedVersion => {
    const { article, transformed } = versionWith(id, []);
    return {
      transformed,
      article: { ...article, record: id, ...(isWhole && { rowIsWhole: true }) },
    };
  };
  return factsWith({
    rows: articles.map(({ id, row = {}, isWhole }) => ({
      ...{ id, extra: row },
      ...(isWhole && { record: id }),
    })),
    versions: articles.map(version),
    ...more,
    service: {
      fields: extraOf,
      ...more.service,
    },
  });
}
