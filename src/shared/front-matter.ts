import { CORE_SCHEMA, load } from 'js-yaml';
import { JsonValueError, maxCharacters, toJsonValue } from './json-value.ts';

export interface SplitText {
  /** The YAML between the two `---`. */
  frontMatter?: string;
  content: string;
}

/** Splits what is between two lines of `---` from the start of a text. Nothing is parsed. */
export function splitFile(text: string): SplitText {
  const [, opening = '', rest = ''] = /^(\uFEFF?---[ \t]*\r?\n)(.*)$/s.exec(text) ?? [];
  const end = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!opening || !end) return { content: text };
  return { frontMatter: rest.slice(0, end.index), content: rest.slice(end.index + end[0].length) };
}

const key = /^[\p{L}_][\p{L}\p{N}_.-]*:(?:\s|$)/u;
const yamlLine = /^(?:[ \t]|#|- |$)/;

/**
 * Splits YAML front matter from the start of an article, whose text may also begin with a thematic break. It is
 * recognised only if each line between the two `---` looks like YAML, and the first is a field.
 */
export function splitFrontMatter(text: string): SplitText {
  const split = splitFile(text);
  const lines = split.frontMatter?.split(/\r?\n/) ?? [];
  const isYaml =
    key.test(lines[0] ?? '') && lines.every((line) => yamlLine.test(line) || isField(line));
  return isYaml ? split : { content: text };
}

/** Returns whether a line is a field whose value is not itself one: `Note: this: that` is a sentence. */
function isField(line: string): boolean {
  const value = line.replace(key, '').trim();
  return key.test(line) && (/^["'[{|>&*!]/.test(value) || !/:(?:\s|$)/.test(value));
}

/**
 * Parses front matter. Dates stay text.
 *
 * @throws {JsonValueError} when it exceeds a limit
 * @throws {YAMLException} when it is not YAML
 */
export function parseFrontMatter(yaml: string): unknown {
  // A key may be a list of aliases, which the parser joins to one text.
  if (yaml.includes('&') && yaml.split('*').length * yaml.length > maxCharacters)
    throw new JsonValueError('', 'it has too many aliases for its length');
  return toJsonValue(load(yaml, { schema: CORE_SCHEMA }));
}
