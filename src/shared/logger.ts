/** The part of Astro's logger that the package uses. */
export interface Logger {
  info(line: string): void;
  warn(line: string): void;
  debug(line: string): void;
}

/** Returns a logger that writes the result of `format` for each line. With `ARTICLES_DEBUG`, it shows debug lines. */
export function formatLines(logger: Logger, format: (line: string) => string): Logger {
  const isVerbose = Boolean(process.env.ARTICLES_DEBUG);
  return {
    info: (line) => logger.info(format(line)),
    warn: (line) => logger.warn(format(line)),
    debug: (line) => logger[isVerbose ? 'info' : 'debug'](format(line)),
  };
}
