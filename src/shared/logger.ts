/** The subject of a warning. */
export type WarningKind = 'articles' | 'images' | 'listing' | 'outage' | 'other';

export interface Warning {
  kind: WarningKind;
  /** One line. */
  text: string;
}

/** The part of Astro's logger that the package uses. */
export interface Logger {
  info(line: string): void;
  warn(line: string): void;
  debug(line: string): void;
}
