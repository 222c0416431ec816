import type { TreeNode } from '../helpers/documented-lists.ts';

// These functions run in the page. They are sent there as text, so they cannot use anything of this module.

/** Replaces dialogs by a line in the console. Runs before the scripts of a page. */
export function watch(): void {
  for (const name of ['alert', 'prompt', 'confirm', 'print']) {
    const value = () => console.log(`[ran] ${name}`);
    Object.defineProperty(window, name, { value });
  }
}

/** Sends events to every element of every article. With `parseAgain`, also parses each article again, twice. */
export async function exercise(parseAgain: boolean): Promise<string[]> {
  const events =
    'pointerover pointerenter mouseover mouseenter pointermove mousemove pointerdown mousedown focusin ' +
    'pointerup mouseup click mouseout mouseleave contextmenu dblclick auxclick wheel keydown keyup ' +
    'dragstart copy cut paste beforecopy touchstart blur';
  const signs = new Set<string>();
  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

  // Readers may follow links to other pages, so only `javascript:` and `data:` links are followed here.
  window.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a, area') : null;
    if (link && /^(?:https?|mailto|tel):/.test(String(Reflect.get(link, 'href'))))
      event.preventDefault();
  });
  const touch = (element: Element) => {
    if (element instanceof HTMLElement) element.focus();
    for (const name of events.split(' ')) {
      element.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
    }
    if (element instanceof HTMLElement) element.blur();
  };
  const touchAll = (root: Element) => {
    const elements = Array.from(root.querySelectorAll('*:not(br)'));
    for (const element of elements.slice(0, 50)) touch(element);
    return elements;
  };

  const home = document.querySelector('#home');
  const sections = Array.from(document.querySelectorAll('main > section'));
  if (!home || sections.length === 0) return ['the layout of the page is missing'];
  window.scrollTo(0, 0);
  const { left, top, width, height } = home.getBoundingClientRect();
  if (document.elementFromPoint(left + width / 2, top + height / 2) !== home)
    signs.add('the header is covered');
  if (document.querySelector('main')?.children.length !== sections.length)
    signs.add('the page around an article is not whole');

  const articles = sections.flatMap((section) => {
    const [article, after, ...more] = Array.from(section.children).slice(-2);
    const isWhole =
      article?.localName === 'article' && after?.className === 'after' && more.length === 0;
    if (!isWhole || !after?.checkVisibility({ visibilityProperty: true }))
      signs.add('the page around an article is not whole');
    return isWhole ? [article] : [];
  });
  for (const section of sections) {
    section.scrollIntoView();
    touchAll(section);
  }
  window.scrollTo(0, 0);
  for (const name of ['beforeprint', 'afterprint', 'resize', 'scroll'])
    window.dispatchEvent(new Event(name));
  location.hash = '#h';
  await pause(30);
  if (!parseAgain) return [...signs];

  for (const article of articles) {
    let html = article.innerHTML;
    for (const _ of ['once', 'twice']) {
      const fresh = document.createElement('div');
      document.body.append(fresh);
      fresh.innerHTML = html;
      const parsed = new DOMParser().parseFromString(html, 'text/html');
      fresh.append(document.importNode(parsed.body, true));
      touchAll(fresh);
      html = fresh.innerHTML;
      // Images and frames of the parsed copy need a moment to load.
      setTimeout(() => fresh.remove(), 30);
    }
  }
  await pause(50);
  return [...signs];
}

/** Parses each document three times, as a script of a page may do, and returns the trees; null for a broken one. */
export function parseAgain(documents: readonly string[]): (TreeNode | null)[] {
  const treeOf = (element: Element): TreeNode => ({
    tagName: element.localName,
    namespaceURI: element.namespaceURI ?? '',
    attrs: Array.from(element.attributes, ({ localName, value }) => ({ name: localName, value })),
    childNodes: Array.from(element.children, treeOf),
  });
  return documents.flatMap((source) => {
    let html = source;
    return [1, 2, 3].map(() => {
      const parsed = new DOMParser().parseFromString(`<body><div>${html}</div>`, 'text/html');
      const [around, ...others] = [...parsed.head.childNodes, ...parsed.body.childNodes];
      if (others.length > 0 || !(around instanceof Element)) return null;
      html = around.innerHTML;
      return { childNodes: Array.from(around.children, treeOf) };
    });
  });
}

/** Loads all images of the page, also those that wait to be scrolled to, and returns the broken ones. */
export async function loadImages(): Promise<string[]> {
  const broken: string[] = [];
  for (const image of document.images) {
    image.loading = 'eager';
    await image.decode().catch(() => undefined);
    if (image.naturalWidth === 0) broken.push(image.currentSrc || image.src);
  }
  return broken;
}
