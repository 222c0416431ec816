import { decodeHTMLAttribute } from 'entities/decode';
import { escapeAttribute } from 'entities/escape';

/** Matches the start of a link in HTML, and its URL, but not a link that is shown as code. */
const htmlLink = /(<a\b[^<>]*?\shref\s*=\s*)(?:"([^"]*)"|'([^']*)')/gi;

/** Leads the links between the articles of a service to their pages on this site. */
export interface LinkPages {
  /** Adds an article, by its URL in the service. Adding it again replaces its page. */
  add(url: string, page: string): void;
  /**
   * Returns HTML whose links lead to pages of this site, if they lead to added articles. All others lead where they led in
   * the service: they are resolved against `url`.
   *
   * @param url the URL of the article that contains the HTML
   * @param baseUrl the URL of the service, which may have articles at another host than that of their URLs
   */
  map(html: string, url: string, baseUrl?: string): string;
}

/** Creates an empty list of pages. A last slash, the encoding and a query that a page lacks make no difference between two URLs. */
export function createLinkPages(): LinkPages {
  const pages = new Map<string, string>();

  function pageOf({ pathname, search, hash }: URL): string | undefined {
    const page = pages.get(keyOf(pathname + search)) ?? pages.get(keyOf(pathname));
    return page && page + hash;
  }

  return {
    add(url, page) {
      const { pathname, search } = new URL(url);
      pages.set(keyOf(pathname + search), page);
    },
    map(html, url, baseUrl = url) {
      const origins = [url, baseUrl].map((base) => new URL(base).origin);
      return html.replace(htmlLink, (link, start, double, single) => {
        const written: string = double ?? single;
        const target = URL.parse(decodeHTMLAttribute(written), url);
        if (!target || written.startsWith('#')) return link;
        const page = origins.includes(target.origin) ? pageOf(target) : undefined;
        return `${start}"${escapeAttribute(page ?? target.href)}"`;
      });
    },
  };
}

/** Returns the decoded path without its last slash, as far as it can be decoded. */
function keyOf(path: string): string {
  const key = path.replace(/\/(?=$|\?)/, '');
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
