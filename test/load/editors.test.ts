import { expect, it } from 'vitest';
import {
  attributeOf,
  type Element,
  isElement,
  type Node,
  parseHtml,
  textOf,
} from '../../src/html/parse-html.ts';
import { editorExports } from '../helpers/editor-exports.ts';
import { useSite } from '../helpers/use-site.ts';

// Whole articles of editors, as a site with `format: 'html'` shows them.

const site = useSite({
  articles: () =>
    Object.values(editorExports).map(({ html }, at) => ({
      ...{ id: `e${at}`, title: 'Title', content: html, cover_image: null },
    })),
});
const options = { format: 'html', sanitize: { iframes: ['www.youtube.com'] } } as const;

/** Describes what a reader sees, in the order of the page. */
function outlineOf(html: string, service: string): string[] {
  const outline: string[] = [];
  let words = '';
  const add = (line: string) => {
    if (words.trim()) outline.push(words.trim().replace(/\s+/g, ' '));
    words = '';
    if (line) outline.push(line.replace(`${service}/`, '/'));
  };
  const visit = (node: Node): void => {
    if ('value' in node) words += ` ${node.value}`;
    if (!isElement(node)) return;
    const shown = showing(node);
    if (shown) add(shown);
    if (!shown || node.tagName === 'a') node.childNodes.forEach(visit);
  };
  parseHtml(html).childNodes.forEach(visit);
  add('');
  return outline;
}

function showing(element: Element): string | undefined {
  const { tagName: tag, childNodes } = element;
  const text = textOf(element);
  const source = childNodes.filter(isElement).find(({ tagName }) => tagName === 'source');
  const src = attributeOf(element, 'src') ?? (source && attributeOf(source, 'src'));
  if (/^h\d$/.test(tag)) return `# ${attributeOf(element, 'id')} ${text}`;
  if (tag === 'a' && attributeOf(element, 'href')) return `-> ${attributeOf(element, 'href')}`;
  if (tag === 'img') return src && `img ${src}`;
  if (tag === 'iframe') return `frame ${src}`;
  if (tag === 'video' || tag === 'audio') return `${tag} ${src}`;
  if (tag === 'code') return `code ${text}`;
  // Quill has an element for each line.
  const lines = childNodes.filter((node) => node.nodeName === 'div');
  const hasCode = childNodes.some(({ nodeName }) => nodeName === 'code');
  if (tag === 'pre' && !hasCode)
    return `code ${lines.length > 0 ? lines.map(textOf).join('\n') : text}`;
  return undefined;
}

it('an article of an editor has the words, links, pictures, headings and code of its page, or a notice names the difference', async () => {
  const { entries, warnings } = await site.load(options, { env: { ARTICLES_DEBUG: '1' } });
  const notice = warnings.find((text) => text.startsWith('HTML that is not allowed')) ?? '';
  const parts = notice.slice(notice.indexOf(': ') + 2).split('; ');
  for (const [at, [name, { outline, lost = [] }]] of Object.entries(editorExports).entries()) {
    const html = entries.get(`e${at}`)?.rendered?.html ?? '';
    expect(outlineOf(html, site.service.url), name).toEqual(outline);
    const named = parts.filter((part) => part.includes(`"e${at}"`));
    for (const start of lost)
      expect(
        named.some((part) => part.startsWith(start)),
        `${name}: ${start}`,
      ).toBe(true);
    if (lost.length === 0) expect(named, name).toEqual([]);
  }
});
