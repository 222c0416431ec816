import type { Element } from './parse-html.ts';

/** Attributes with a URL or a value, which a script of the page could read from `window[id]` as its settings. */
const valued = /^(?:href|src|srcset|poster|data|cite|value|action|background)$/;
const references = /^(?:aria-(?:labelledby|describedby|details|controls)|headers)$/;

/**
 * Collects the ids of elements and the references to them. Only headings, footnotes and the targets of references
 * keep their ids, because scripts and styles of the site may use any other id.
 *
 * @param slugs the ids that a table of contents refers to
 */
export function createIds(slugs: Iterable<string>, drop: (name: string) => void) {
  const targets = new Set(slugs);
  const elements: Element[] = [];

  return {
    see(element: Element): void {
      let hasId = false;
      for (const { name, value } of element.attrs) {
        if (name === 'id') hasId = true;
        else if (references.test(name)) for (const id of value.split(/\s+/)) targets.add(id);
        else if (name === 'href' && value.startsWith('#')) addFragment(value.slice(1));
        else if (value.startsWith('url(')) addFragment(/^url\(\s*["']?#([^"')]*)/.exec(value)?.[1]);
      }
      if (hasId) elements.push(element);
    },

    /** Drops the ids that are not kept, and returns the others. */
    dropOthers(): ReadonlySet<string> {
      const kept = new Set<string>();
      for (const element of elements) {
        const id = element.attrs.find(({ name }) => name === 'id')?.value ?? '';
        // Processors put this prefix before the ids of footnotes, so that no script uses them.
        const isOwn = /^h[1-6]$/.test(element.tagName) || id.startsWith('user-content-');
        const isSetting = element.attrs.some(
          ({ name, value }) => valued.test(name) && !value.startsWith('#'),
        );
        if ((isOwn || targets.has(id)) && !isSetting) {
          kept.add(id);
          continue;
        }
        element.attrs = element.attrs.filter(({ name }) => name !== 'id');
        drop('id');
      }
      return kept;
    },
  };

  function addFragment(fragment = ''): void {
    targets.add(fragment);
    try {
      targets.add(decodeURIComponent(fragment));
    } catch {
      // Browsers use a fragment that cannot be decoded as it is.
    }
  }
}
