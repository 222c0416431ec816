import type { AstroIntegrationLogger } from 'astro';
import type { Traffic } from '../client/http/request.ts';
import type { Applied } from '../content/reconcile.ts';
import type { MirrorIndex } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { Updated } from '../sync/sync-or-keep.ts';
import { type Changes, compare } from './summary.ts';

/** What a load of a collection found and did, for whoever asks later. */
export interface LoadReport extends LoadOutcome {
  collection: string;
  /** When it ended, in ms since 1970. */
  at: number;
  /** Milliseconds. */
  duration: number;
  /** All that was warned of. */
  warnings: Warning[];
}

/** What a warning is about. */
export type WarningKind = 'articles' | 'images' | 'listing' | 'outage' | 'other';

export interface Warning {
  kind: WarningKind;
  /** As printed. */
  text: string;
}

export interface LoadOutcome {
  /** `kept` and `nothing`: the service gave no usable answer, or was not asked. */
  status: Updated['status'] | 'failed';
  /** Why it failed, or why the service was of no use. */
  error?: string;
  changes?: Changes & Pick<Applied, 'entries' | 'drafts'>;
  traffic?: Traffic;
  mirror?: { folder: string; syncedAt: number; articles: number; images: number };
}

/** A log that is told of each warning what it is about. */
export interface Logger extends Pick<AstroIntegrationLogger, 'info' | 'debug'> {
  /** `kind` is `other` without one. */
  warn(text: string, kind?: WarningKind): void;
}

/** Notes each warning on its way to the log. */
export function noteWarnings(logger: AstroIntegrationLogger): {
  logger: Logger;
  warnings: Warning[];
} {
  const warnings: Warning[] = [];
  return {
    warnings,
    logger: {
      info: (line) => logger.info(line),
      debug: (line) => logger.debug(line),
      warn(text, kind = 'other') {
        warnings.push({ kind, text });
        logger.warn(text);
      },
    },
  };
}

export function describeOutcome(load: {
  before: MirrorIndex;
  mirror: Mirror;
  updated: Updated;
  applied?: Applied;
}): LoadOutcome {
  const { before, mirror, updated, applied } = load;
  const { folder, index } = mirror;
  return {
    status: updated.status,
    ...('reason' in updated && updated.reason ? { error: updated.reason } : {}),
    ...(applied
      ? { changes: { ...compare(before, index), entries: applied.entries, drafts: applied.drafts } }
      : {}),
    ...(updated.status === 'synced' ? { traffic: updated.report.traffic } : {}),
    mirror: {
      folder,
      syncedAt: index.syncedAt,
      articles: index.articles.length,
      images: index.images.size,
    },
  };
}
