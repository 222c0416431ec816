/** The part of Astro's logger that the package uses. */
export interface Logger {
  info(line: string): void;
  warn(line: string): void;
  debug(line: string): void;
}
