import type { AstroConfig } from 'astro';
import { bundledLanguages } from 'shiki/langs';
import { bundledThemes } from 'shiki/themes';

/** The colour themes that Shiki brings along. */
export const themeNames: ReadonlySet<string> = new Set(Object.keys(bundledThemes));

const builtIn = ['text', 'txt', 'plain', 'plaintext', 'ansi'];

/**
 * Says which code languages the site's highlighter knows. The others would be highlighted as plain
 * text in any case, but with a line in the terminal for each block.
 *
 * @returns undefined where an unknown name must stay: when it may mean something to a Markdown plugin
 *   of the site, or when the highlighter is another
 */
export function knownLanguages(
  markdown: AstroConfig['markdown'],
): ((name: string) => boolean) | undefined {
  const { syntaxHighlight } = markdown;
  const highlighter =
    typeof syntaxHighlight === 'object' ? syntaxHighlight : { type: syntaxHighlight };
  if (highlighter.type !== 'shiki' || hasPlugins(markdown)) return undefined;

  const { langs = [], langAlias = {} } = markdown.shikiConfig;
  const known = new Set([
    ...builtIn,
    ...Object.keys(bundledLanguages),
    ...Object.keys(langAlias),
    ...langs.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    ...('excludeLangs' in highlighter ? (highlighter.excludeLangs ?? []) : []),
  ]);
  return (name) => known.has(name);
}

/** Whether code of the site's own has a say in how its Markdown is rendered. */
export function hasPlugins(markdown: AstroConfig['markdown']): boolean {
  const { remarkPlugins = [], rehypePlugins = [] } = markdown;
  const processor: unknown = Reflect.get(markdown, 'processor');
  const options: unknown =
    typeof processor === 'object' && processor && Reflect.get(processor, 'options');
  const lists =
    typeof options === 'object' && options ? Object.values(options).filter(Array.isArray) : [];
  const { transformers } = markdown.shikiConfig;
  return [remarkPlugins, rehypePlugins, transformers, ...lists].some((list) => list.length > 0);
}
