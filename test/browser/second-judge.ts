export interface Breach {
  /** The place of the document in the list. */
  at: number;
  reason: string;
  html: string;
}

/**
 * Lists what sanitized documents contain that no policy allows. It runs in the page, sees nothing of this
 * module, and shares no code and no table with the sanitizer.
 */
export function breaches(documents: readonly string[]): Breach[] {
  const forbidden = new Set(
    (
      'script style link meta base iframe frame frameset object embed applet param portal template slot ' +
      'noscript noembed noframes xmp plaintext title textarea dialog form select option'
    ).split(' '),
  );
  const forbiddenInSvg = new Set(
    'script style foreignobject animate animatemotion animatetransform set discard handler'.split(
      ' ',
    ),
  );
  const addresses = 'href src action formaction poster background data cite xlink:href ping'.split(
    ' ',
  );
  const svg = 'http://www.w3.org/2000/svg';
  const html = 'http://www.w3.org/1999/xhtml';

  const judgeAddress = (element: Element, name: string, value: string): string | undefined => {
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

  const judgeStyle = (value: string): string | undefined => {
    const { style } = Object.assign(document.createElement('p'), { style: value });
    if (/^(?:fixed|sticky)$/.test(style.position) || style.zIndex) return 'it is positioned';
    if (/url\(|image-set|expression/i.test(style.cssText)) return 'its style loads something';
    return undefined;
  };

  const judge = (element: Element): string | undefined => {
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
    for (const { name: given, value } of element.attributes) {
      const attribute = given.toLowerCase();
      const isRefused =
        /^(?:on.*|srcdoc|is|nonce|autofocus|contenteditable|ping|http-equiv|popover.*|shadowroot.*|formaction|slot|__astro.*)$/;
      if (isRefused.test(attribute)) return `<${name}> has ${attribute}`;
      const problem = addresses.includes(attribute)
        ? judgeAddress(element, attribute, value)
        : attribute === 'style'
          ? judgeStyle(value)
          : undefined;
      if (problem) return `<${name}>: ${problem}`;
    }
    const setting = ['href', 'src', 'cite', 'poster'].find((each) => element.hasAttribute(each));
    const isPart = setting && element.getAttribute(setting)?.startsWith('#');
    if (element.id && setting && !isPart) return `<${name}> has an id and ${setting}`;
    return undefined;
  };

  const found: Breach[] = [];
  for (const [at, given] of documents.entries()) {
    let text = given;
    // What a page parses, a script of the page may parse again.
    for (let pass = 0; pass < 3; pass++) {
      const { body, head } = new DOMParser().parseFromString(
        `<body><div>${text}</div>`,
        'text/html',
      );
      const [around] = body.children;
      if (body.childNodes.length !== 1 || head.childNodes.length > 0 || !around) {
        found.push({ at, reason: 'it leaves the element around it', html: given });
        break;
      }
      const reason = Array.from(around.querySelectorAll('*')).map(judge).find(Boolean);
      if (reason) {
        found.push({ at, reason, html: given });
        break;
      }
      text = around.innerHTML;
    }
  }
  return found;
}
