import { quote } from '../messages.ts';
import { isRefusedAttribute, isRefusedTag } from '../shared/refused-names.ts';
import type { AllowList, SanitizeOption } from '../shared/sanitize-option.ts';
import type { LostPart } from './lost-parts.ts';

/** The number of elements, and of attributes, that the code of an option names. */
const maxNames = 20;
/** Attributes that are not advised: scripts read `name`, and `inert` disables links. */
const notAdvised = new Set(['name', 'inert']);

/** Returns sentences with the option that keeps what was dropped. The list of `'strict'` has no exceptions. */
export function adviceOnSanitize(lost: readonly LostPart[], sanitize: SanitizeOption): string[] {
  if (sanitize === 'strict') return [];
  return [...keepAdvice(lost, sanitize), ...textAdvice(lost, sanitize)];
}

/** An attribute of elements with a tag, or of all with `*`. */
interface ListedAttribute {
  tag: string;
  name: string;
}

function keepAdvice(lost: readonly LostPart[], sanitize: SanitizeOption): string[] {
  const hosts = lost.flatMap(({ kind, host }) => (kind === 'frame' ? (host ?? []) : []));
  const tags = lost.flatMap(({ kind, name }) =>
    kind === 'element' && isPlain(name) && !isRefusedTag(name) ? name : [],
  );
  const attributes = lost.flatMap(attributesOf);
  const kinds = [
    hosts.length > 0 && 'frames',
    tags.length > 0 && 'elements',
    attributes.length > 0 && 'attributes',
  ].filter((kind) => kind !== false);
  if (kinds.length === 0) return [];
  const rest = Math.max(0, tags.length - maxNames) + Math.max(0, attributes.length - maxNames);
  const more = rest > 0 ? `, and ${rest} more can be listed there` : '';
  const option = optionWith(sanitize, {
    hosts,
    tags: tags.slice(0, maxNames),
    attributes: attributes.slice(0, maxNames),
  });
  const isData = attributes.some(({ name }) => name.startsWith('data-'));
  return [
    `${option} keeps ${joinWords(kinds)}${more}.`,
    ...(isData ? ['`data-` attributes are for styles and scripts of the site.'] : []),
  ];
}

/** Returns the attributes that the site can list. */
function attributesOf({ kind, name, tags }: LostPart): ListedAttribute[] {
  if (kind !== 'attribute' || isRefusedAttribute(name) || notAdvised.has(name)) return [];
  return tags.filter(isPlain).map((tag) => ({ tag, name }));
}

/** Returns whether a name is one that HTML has, or that an author of it may have made. */
function isPlain(name: string): boolean {
  return /^[a-z][a-z\d-]*$/.test(name);
}

/** Advises the option that keeps texts with a tag in it. Script libraries may write them as HTML. */
function textAdvice(lost: readonly LostPart[], sanitize: SanitizeOption): string[] {
  const names = lost.flatMap(({ kind, name }) =>
    kind === 'text with a tag' && !isRefusedAttribute(name) ? name : [],
  );
  if (names.length === 0) return [];
  const option = optionWith(sanitize, { attributes: names.map((name) => ({ tag: '*', name })) });
  const quoted = joinWords(names.map((name) => `\`${name}\``));
  const them = names.length === 1 ? 'it' : 'them';
  return [
    `Some script libraries read ${quoted} as HTML. If yours do not, ${option} keeps ${them}.`,
  ];
}

/** Returns the option with what it allows now, and more, as code that can be copied. */
function optionWith(
  sanitize: SanitizeOption,
  more: { hosts?: readonly string[]; tags?: readonly string[]; attributes: ListedAttribute[] },
): string {
  const now: AllowList = typeof sanitize === 'object' ? sanitize : {};
  const listed = Object.entries(now.attributes ?? {}).flatMap(([tag, names]) =>
    names.map((name) => ({ tag, name })),
  );
  const byTag = Map.groupBy([...listed, ...more.attributes], ({ tag }) => tag);
  const lists = [...byTag].map(
    ([tag, group]) => `${codeOf(tag)}: ${listOf(group.map(({ name }) => name))}`,
  );
  const fields = [
    ...fieldOf('iframes', [...(now.iframes ?? []), ...(more.hosts ?? [])]),
    ...fieldOf('tags', [...(now.tags ?? []), ...(more.tags ?? [])]),
    ...(lists.length > 0 ? [`attributes: { ${lists.join(', ')} }`] : []),
  ];
  return `\`sanitize: { ${fields.join(', ')} }\``;
}

function fieldOf(name: string, values: readonly string[]): string[] {
  return values.length > 0 ? [`${name}: ${listOf(values)}`] : [];
}

function listOf(values: readonly string[]): string {
  return `[${[...new Set(values)].map(codeOf).join(', ')}]`;
}

/** Returns a name or host as a text of JavaScript. A URL may have quotes in its host. */
function codeOf(name: string): string {
  return /^[a-z\d.*-]+$/.test(name) ? `'${name}'` : quote(name);
}

function joinWords(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed();
  return others.length > 0 ? `${others.reverse().join(', ')} and ${last}` : last;
}
