import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml';
import { parse as parseToml, TomlError } from 'smol-toml';
import { messageOf } from '../messages.ts';
import { isRecord, toJsonValue } from './json-value.ts';

/** A text after its front matter. */
export interface SplitText {
  content: string;
  /** The fields of the front matter: none without one, and none if it is broken. */
  fields: Record<string, unknown>;
  /** What prevents the front matter from being read. */
  broken?: string;
}

/** Both parsers read this length in less than half a second. The time of TOML grows with the square of the length. */
const maxFrontMatterLength = 50_000;
/** The most characters that aliases may repeat. */
const maxAliasCharacters = 16 * 2 ** 20;

/** The first line, as in Astro (`parseFrontmatter()` of @astrojs/internal-helpers): after a BOM or blank lines. */
const opening = /^(?:\uFEFF?|\s*\n)(---|\+\+\+)[ \t]*\r?\n/;

/** A key has at most this many words. A sentence with a colon, between two thematic breaks, is text. */
const maxWords = 5;

const yaml = {
  name: 'YAML',
  closing: /^(?:-{3,}|\.{3})[ \t]*(?:\r?\n|$)/m,
  // A plain key may have spaces and needs a blank after its colon; a single word is one without a blank, too.
  field:
    /^(?:(?:"[^"]*"|'[^']*')[ \t]*:|(?<words>[\p{L}\p{N}_].*?):(?:\s|$)|[\p{L}_][\p{L}\p{N}_-]*:(?!\/\/))/u,
  parse: parseYaml,
};

/** Merged keys, `<<: *other`, as in Astro's schema, which is not used, because it reads dates as objects. */
const mergedKey = new Type('tag:yaml.org,2002:merge', {
  kind: 'scalar',
  resolve: (key) => key === '<<',
});
const schema = CORE_SCHEMA.extend({ implicit: [mergedKey] });

const toml = {
  name: 'TOML',
  closing: /^\+{3,}[ \t]*(?:\r?\n|$)/m,
  field: /^(?:(?:"[^"]*"|'[^']*'|[\w.-]+)[ \t]*=|\[[^\]]+\]{1,2}$)/,
  parse: parseToml,
};

/**
 * Splits YAML or TOML front matter from the start of a text, which may also begin with a thematic break. Front matter has
 * fields, or is empty; a sentence with a colon is text. A heading below a blank line is text, too, although YAML would
 * take it for a comment. What cannot be parsed is broken front matter if it begins with a field, and otherwise text.
 * Dates are texts.
 */
export function splitFrontMatter(text: string): SplitText {
  const [start, fence] = opening.exec(text) ?? [];
  const none = { content: text, fields: {} };
  if (!start) return none;
  const format = fence === '---' ? yaml : toml;
  const rest = text.slice(start.length);
  const end = format.closing.exec(rest);
  if (!end) return none;
  const block = rest.slice(0, end.index);
  const content = rest.slice(end.index + end[0].length);
  if (block.trim() === '') return { content, fields: {} };
  try {
    if (block.length > maxFrontMatterLength)
      throw new Error(`expected at most ${maxFrontMatterLength} characters`);
    const fields = toJsonValue(format.parse(block) ?? (/^\s*\n/.test(block) ? null : {}));
    if (!isRecord(fields) || isSentence(Object.keys(fields)[0])) return none;
    return { content, fields };
  } catch (error) {
    const line = block.split('\n').find((text) => !/^\s*(?:#|$)/.test(text));
    const field = line && format.field.exec(line.trim());
    if (!field || isSentence(field.groups?.words)) return none;
    const before = start.split('\n').length - 1;
    return {
      content,
      fields: {},
      broken: `invalid ${format.name}${describeParserError(error, before)}`,
    };
  }
}

function isSentence(key = ''): boolean {
  return key.trim().split(/\s+/).length > maxWords;
}

function parseYaml(text: string): unknown {
  // A key may be a list of aliases, which the parser joins to one text.
  if (text.includes('&') && text.split('*').length * text.length > maxAliasCharacters)
    throw new Error('it has too many aliases for its length');
  // The parser would take a no-break space behind the colon of a key as part of a text.
  return load(text.replace(/^([^:\n]*:)\u00A0/gm, '$1 '), { schema });
}

/** Returns the line and the reason of an error of a parser. */
function describeParserError(error: unknown, linesBefore: number): string {
  // An error about several documents has no line.
  if (error instanceof YAMLException && error.mark)
    return ` in line ${linesBefore + error.mark.line + 1}: ${error.reason}`;
  if (error instanceof TomlError) {
    // Its message has the lines of the document, too.
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    return ` in line ${linesBefore + error.line}: ${reason}`;
  }
  return `: ${messageOf(error)}`;
}
