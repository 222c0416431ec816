import { ArticlesOptionsError, quote } from '../errors.ts';

interface BodyProps {
  article?: unknown;
  components?: object | undefined;
  embeds?: object | undefined;
}

/**
 * Checks the properties of `<ArticleBody>`, because a page need not have types.
 *
 * @throws {ArticlesOptionsError} `invalid-options`
 */
export function checkBody({ article, components = {}, embeds = {} }: BodyProps): void {
  if (typeof article !== 'object' || article === null) {
    throw invalid('needs an article', 'Pass an entry: `<ArticleBody article={article} />`.');
  }
  for (const host of Object.keys(embeds)) {
    const found = URL.parse(host.includes('//') ? host : `https://${host}`)?.host;
    if (found === host) continue;
    const example = found ? `: \`embeds={{ '${found}': … }}\`` : ", such as `'youtube.com'`";
    throw invalid(`has ${quote(host)} in \`embeds\``, `Use the host of the links${example}.`);
  }
  for (const [name, component] of Object.entries({ ...components, ...embeds })) {
    // Components of some frameworks are objects.
    if (typeof component === 'function' || (typeof component === 'object' && component)) continue;
    throw invalid(
      `has no component for ${quote(name)}, but ${component === null ? 'null' : typeof component}`,
      'Check its import: a component is the default export of its file.',
    );
  }
}

function invalid(problem: string, hint: string): ArticlesOptionsError {
  return new ArticlesOptionsError('invalid-options', `<ArticleBody> ${problem}.`, { hint });
}
