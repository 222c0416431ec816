import { definePlugin } from '@astrojs/starlight/expressive-code';

interface Node {
  type: string;
  value?: string;
  tagName?: string;
  properties?: object;
  children?: Node[];
}

/**
 * Keeps words in code blocks on one line, where there is room for them. Browsers also break lines after hyphens and
 * slashes, and next to quotes.
 */
export function unbrokenWords() {
  return definePlugin({
    name: 'unbroken words',
    hooks: {
      postprocessRenderedLine({ renderData }) {
        const code = (renderData.lineAst as Node).children?.at(-1);
        if (code?.children) code.children = joinWords(code.children.flatMap(partsOf));
      },
    },
  });
}

/** Splits a token at its blanks, into copies of it. */
function partsOf(token: Node): Node[] {
  if (token.children) {
    const parts = token.children.flatMap(partsOf);
    return parts.map((part) => ({ ...token, children: [part] }));
  }
  const values = (token.value ?? '').split(/(\s+)/).filter((value) => value !== '');
  return values.map((value) => ({ type: 'text', value }));
}

/** Puts the parts of each word into one element. */
function joinWords(parts: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isBlank(part)) joined.push(part);
    else if (last?.properties === word) last.children?.push(part);
    else joined.push({ type: 'element', tagName: 'span', properties: word, children: [part] });
  }
  return joined;
}

function isBlank({ value, children }: Node): boolean {
  return children ? children.every(isBlank) : /^\s*$/.test(value ?? '');
}

const word = { className: ['word'] };

/** Keeps words in the inline code of a page, and the name of the package, on one line. */
export function withUnbrokenWords(html: string): string {
  const words = /<figure[\s\S]*?<\/figure>|<code([^>]*)>([^<]+)<\/code>|astro-articles(?=[^<>]*<)/g;
  return html.replace(words, (text, attributes: string, code?: string) => {
    if (text.startsWith('<figure')) return text;
    if (code === undefined) return `<span class="word">${text}</span>`;
    return `<code${attributes}>${code.replace(/\S*[^\w\s]\S+/g, '<span class="word">$&</span>')}</code>`;
  });
}
