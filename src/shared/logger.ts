/** The subject of a warning. */
export type WarningKind = 'articles' | 'images' | 'listing' | 'outage' | 'other';

export interface Warning {
  kind: WarningKind;
  /** One line. */
  text: string;
  /** The ids of the articles that it is about. */
  articles?: readonly string[];
}

/** The part of Astro's logger that the package uses. */
export interface Logger {
  info(line: string): void;
  warn(line: string): void;
  debug(line: string): void;
}

/** Returns a logger that writes the result of `prefix` before each line. */
export function withPrefix(logger: Logger, prefix: () => string): Logger {
  return {
    info: (line) => logger.info(prefix() + line),
    warn: (line) => logger.warn(prefix() + line),
    debug: (line) => logger.debug(prefix() + line),
  };
}
