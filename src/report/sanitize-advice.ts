import { quote } from '../messages.ts';
import type { DroppedHtml } from '../shared/dropped-html.ts';
import { isRefusedAttribute, isRefusedTag } from '../shared/refused-names.ts';
import type { AllowList, SanitizeOption } from '../shared/sanitize-option.ts';

/** Attributes that are not advised: scripts read `name`, and `inert` disables links. */
const notAdvised = new Set(['name', 'inert']);

/** An attribute of elements with a tag. */
interface ListedAttribute {
  tag: string;
  name: string;
}

/**
 * Returns sentences with the option that keeps parts that were dropped, as far as an option can. The list of `'strict'` has
 * no exceptions.
 */
export function adviceOnSanitize(
  parts: readonly DroppedHtml[],
  sanitize: SanitizeOption,
): string[] {
  if (sanitize === 'strict') return [];
  const iframes = parts.flatMap(({ kind, host }) => (kind === 'frame' ? (host ?? []) : []));
  const tags = parts.flatMap(({ kind, name }) =>
    kind === 'element' && isPlainName(name) && !isRefusedTag(name) ? name : [],
  );
  const attributes = parts.flatMap(attributesToList);
  if (iframes.length + tags.length + attributes.length === 0) return [];
  const isData = attributes.some(({ name }) => name.startsWith('data-'));
  const isText = parts.some(({ kind }) => kind === 'text with a tag');
  return [
    `To keep what an option can keep, set ${optionWith(sanitize, { iframes, tags, attributes })}.`,
    ...(isData ? ['`data-` attributes are for styles and scripts of the site.'] : []),
    ...(isText ? ['Some script libraries show texts with a tag as HTML.'] : []),
  ];
}

/** Returns the attribute, if the site can list it. */
function attributesToList({ kind, name, on = '' }: DroppedHtml): ListedAttribute[] {
  const isListable = kind === 'attribute' || kind === 'text with a tag';
  if (!isListable || isRefusedAttribute(name) || notAdvised.has(name) || !isPlainName(on))
    return [];
  return [{ tag: on, name }];
}

/** Returns whether a name is one that HTML has, or that an author of it may have made. */
function isPlainName(name: string): boolean {
  return /^[a-z][a-z\d-]*$/.test(name);
}

/** Returns the option with what it allows now, and more, as code that can be copied. */
function optionWith(
  sanitize: SanitizeOption,
  more: { iframes: readonly string[]; tags: readonly string[]; attributes: ListedAttribute[] },
): string {
  const now: AllowList = typeof sanitize === 'object' ? sanitize : {};
  const listed = Object.entries(now.attributes ?? {}).flatMap(([tag, names]) =>
    names.map((name) => ({ tag, name })),
  );
  const byTag = Map.groupBy([...listed, ...more.attributes], ({ tag }) => tag);
  const lists = [...byTag].map(
    ([tag, group]) => `${literalOf(tag)}: ${listOf(group.map(({ name }) => name))}`,
  );
  const fields = [
    ...fieldOf('iframes', [...(now.iframes ?? []), ...more.iframes]),
    ...fieldOf('tags', [...(now.tags ?? []), ...more.tags]),
    ...(lists.length > 0 ? [`attributes: { ${lists.join(', ')} }`] : []),
  ];
  return `\`sanitize: { ${fields.join(', ')} }\``;
}

function fieldOf(name: string, values: readonly string[]): string[] {
  return values.length > 0 ? [`${name}: ${listOf(values)}`] : [];
}

function listOf(values: readonly string[]): string {
  return `[${[...new Set(values)].map(literalOf).join(', ')}]`;
}

/** Returns a name or host as a text of JavaScript. A URL may have quotes in its host. */
function literalOf(name: string): string {
  return /^[a-z\d.*-]+$/.test(name) ? `'${name}'` : quote(name);
}
