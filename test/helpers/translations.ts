import { filesOf, read } from './readme.ts';

/** The page about translations of other APIs. */
export const translations = 'docs/start/translate.md';

/**
 * Returns the options that the page names for a service, next to `baseUrl` and `fetch`, as source text. A sentence has
 * those of all services but the one whose integration is shown.
 */
export function documentedOptions(service: string): string[] {
  const [sentence = ''] = /^With .*; with .*$/m.exec(read(translations)) ?? [];
  const isNamed = (part: string) =>
    new RegExp(`\\b${service}\\b`, 'i').test(part.split('`', 1).join());
  const named = sentence.split('; ').find(isNamed);
  if (named) return Array.from(named.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
  const { 'src/integration.ts': integration = '' } = filesOf(translations);
  const lines = integration.matchAll(/^ {2}(?!baseUrl|fetch)(.*),$/gm);
  return Array.from(lines, ([, code = '']) => code);
}
