import { optionNames } from './option-names.ts';

const folder = 'node_modules/astro-articles/docs';

export function errorPage(code: string): string {
  return `${folder}/errors.md#${code}`;
}

/** Returns the lines that lead to the documentation of the options that a text names, such as `retry.limit`. */
export function seeOptions(text: string): string[] {
  const named = [...text.matchAll(/`([\w.]+)(?::[^`]*)?`/g)];
  const options = new Set(named.flatMap(([, path = '']) => findOption(path) ?? []));
  return [...options].map((name) => `See ${optionPage(name)}`);
}

/** Returns a line of the log with the sections about the options that it names. */
export function withOptionPages(line: string): string {
  return [line, ...seeOptions(line)].join(' ');
}

export function optionPage(name: string): string {
  return `${referencePage('options')}#${name.toLowerCase().replaceAll('.', '')}`;
}

export function referencePage(name: string): string {
  return `${folder}/reference/${name}.md`;
}

/** Finds the option that a path leads to: itself, the option that contains it, or the first one of its group. */
function findOption(path: string): string | undefined {
  return (
    optionNames.findLast((name) => `${path}.`.startsWith(`${name}.`)) ??
    optionNames.find((name) => name.startsWith(`${path}.`))
  );
}
