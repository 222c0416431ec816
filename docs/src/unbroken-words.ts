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
  const [text, ...others] = token.type === 'text' ? [token] : (token.children ?? []);
  if (text?.value === undefined || others.length > 0) return [token];
  return text.value.split(/(\s+)/).flatMap((value) => {
    if (value === '') return [];
    const part = { type: 'text', value };
    return token.type === 'text' ? part : { ...token, children: [part] };
  });
}

/** Puts the parts of each word into one element. */
function joinWords(parts: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isBlank = /^\s*$/.test(part.value ?? part.children?.[0]?.value ?? '');
    if (isBlank) joined.push(part);
    else if (last?.tagName === 'span' && last.children && isWord(last)) last.children.push(part);
    else joined.push({ type: 'element', tagName: 'span', properties: word, children: [part] });
  }
  return joined;
}

const word = { className: ['word'] };
const isWord = ({ properties }: Node) => properties === word;

/** Keeps words in the inline code of a page, and the name of the package, on one line. */
export function withUnbrokenWords(html: string): string {
  const words = /<figure[\s\S]*?<\/figure>|<code([^>]*)>([^<]+)<\/code>|astro-articles(?=[^<>]*<)/g;
  return html.replace(words, (text, attributes: string, code?: string) => {
    if (text.startsWith('<figure')) return text;
    if (code === undefined) return `<span class="word">${text}</span>`;
    return `<code${attributes}>${code.replace(/\S*[^\w\s]\S+/g, '<span class="word">$&</span>')}</code>`;
  });
}
