export interface Violation {
  /** The index of the document in the list. */
  index: number;
  reason: string;
  html: string;
}

/**
 * Finds elements and attributes in sanitized documents that no policy allows. The function runs in the page, so
 * it cannot use anything of this module. It shares no code and no table with the sanitizer.
 */
export function findViolations(documents: readonly string[]): Violation[] {
  const forbidden = new Set(
    (
      'script style link meta base iframe frame frameset object embed applet param portal template slot ' +
      'noscript noembed noframes xmp plaintext title textarea dialog form select option permission geolocation ' +
      'install webview turbo-frame amp-script canvas map area marquee fieldset label output'
    ).split(' '),
  );
  const forbiddenInSvg = new Set(
    'script style foreignobject animate animatemotion animatetransform set discard handler use pattern mask marker'.split(
      ' ',
    ),
  );
  const urlAttributes =
    'href src action formaction poster background data cite xlink:href ping'.split(' ');
  const svg = 'http://www.w3.org/2000/svg';
  const html = 'http://www.w3.org/1999/xhtml';

  const checkUrl = (element: Element, name: string, value: string): string | undefined => {
    if (element.namespaceURI === svg && element.localName !== 'image' && /href$/.test(name)) {
      return value.startsWith('#') ? undefined : `${name} leads out of the drawing`;
    }
    if (!URL.canParse(value, 'https://base.example/')) return undefined;
    const { protocol } = new URL(value, 'https://base.example/');
    if (/^(?:https?|mailto|tel):$/.test(protocol)) return undefined;
    const isPicture = /^\s*data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)[;,]/i.test(value);
    return isPicture && /^(?:src|poster|background)$/.test(name)
      ? undefined
      : `${name} has the scheme ${protocol}`;
  };

  const checkStyle = (value: string): string | undefined => {
    const { style } = Object.assign(document.createElement('p'), { style: value });
    if (/^(?:fixed|sticky|absolute)$/.test(style.position) || style.zIndex)
      return 'it is positioned';
    if (/url\(|image-set|expression/i.test(style.cssText)) return 'its style loads something';
    return undefined;
  };

  const check = (element: Element): string | undefined => {
    const name = element.localName.toLowerCase();
    const isSvg = element.namespaceURI === svg;
    if (isSvg ? forbiddenInSvg.has(name) : forbidden.has(name)) return `there is a <${name}>`;
    if (name.startsWith('astro-')) return `there is a <${name}>`;
    const around = element.parentElement?.namespaceURI;
    if (around === svg && !isSvg) return `<${name}> is inside a drawing`;
    // The text of a formula may contain the names of its own elements.
    const isFormula = /^(?:m[a-z]+|semantics|annotation|none)$/.test(name);
    if (
      around &&
      around !== html &&
      around !== svg &&
      element.namespaceURI === html &&
      !isFormula
    ) {
      return `<${name}> is inside a formula`;
    }
    for (const { name: attributeName, value } of element.attributes) {
      const attribute = attributeName.toLowerCase();
      const isRefused =
        /^(?:on.*|srcdoc|is|nonce|autofocus|contenteditable|ping|http-equiv|popover.*|shadowroot.*|formaction|slot|__astro.*|_|script|(?:hx|ws|sse|x|v|up)-.*|.*[@:].*click.*|ng_.*|data-(?!language$|footnotes$|footnote-(?:back)?ref$).*|hspace|vspace|border)$/;
      if (isRefused.test(attribute)) return `<${name}> has ${attribute}`;
      if (attribute === 'rel' && /(?:^|\s)(?:lightbox|opener)/i.test(value)) {
        return `<${name}> has rel=${value}`;
      }
      const problem = urlAttributes.includes(attribute)
        ? checkUrl(element, attribute, value)
        : attribute === 'style'
          ? checkStyle(value)
          : undefined;
      if (problem) return `<${name}>: ${problem}`;
    }
    const setting = ['href', 'src', 'cite', 'poster'].find((each) => element.hasAttribute(each));
    const isFragment = setting && element.getAttribute(setting)?.startsWith('#');
    if (element.id && setting && !isFragment) return `<${name}> has an id and ${setting}`;
    return undefined;
  };

  const violations: Violation[] = [];
  for (const [index, source] of documents.entries()) {
    let text = source;
    // A script of a page may parse the HTML of an element again.
    for (let pass = 0; pass < 3; pass++) {
      const { body, head } = new DOMParser().parseFromString(
        `<body><div>${text}</div>`,
        'text/html',
      );
      const [around] = body.children;
      if (body.childNodes.length !== 1 || head.childNodes.length > 0 || !around) {
        violations.push({ index, reason: 'it closes its parent element', html: source });
        break;
      }
      const reason = Array.from(around.querySelectorAll('*')).map(check).find(Boolean);
      if (reason) {
        violations.push({ index, reason, html: source });
        break;
      }
      text = around.innerHTML;
    }
  }
  return violations;
}
