import { read } from './readme.ts';

/** The page about translations of other APIs. */
export const translations = 'docs/start/translate.md';

/** Returns the options that the table of the page names for a service, next to `baseUrl` and `fetch`, as source text. */
export function documentedOptions(service: string): string[] {
  const row = new RegExp(`^\\| ${service} \\|.*\\| (.*) \\|$`, 'im').exec(read(translations));
  if (!row) throw new Error(`The page has no options for ${service}.`);
  return Array.from(row[1]?.matchAll(/`([^`]+)`/g) ?? [], ([, code = '']) => code);
}
