/** How the addresses of a document are made absolute. */
export interface AddressBase {
  /** What the addresses of images, videos and other media are relative to. */
  media: URL;
  /** What links are relative to. Absent: they stay relative. */
  links?: URL;
  /** The page whose address is put before links within it. */
  page?: URL;
}

const mediaAttributes = new Set(['src', 'srcset', 'poster', 'background', 'lowsrc', 'dynsrc']);
const linkAttributes = new Set(
  'href action formaction cite data longdesc codebase classid archive manifest profile altimg'.split(
    ' ',
  ),
);
const raster = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)[;,]/i;

/** Returns what kind of address an attribute has, if it has one. */
export function addressKind(tag: string, name: string): 'media' | 'link' | undefined {
  if (mediaAttributes.has(name) || (tag === 'image' && name === 'href')) return 'media';
  return linkAttributes.has(name) ? 'link' : undefined;
}

/**
 * Returns whether an address leads to the web, to mail or to a phone, or is relative. Characters that a
 * browser ignores are ignored, and some more: those can only hide a scheme, never make one.
 */
export function isAllowedAddress(address: string, kind: 'media' | 'link'): boolean {
  const compact = address.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(compact)?.[0].toLowerCase();
  if (scheme === undefined || scheme === 'https' || scheme === 'http') return true;
  if (kind === 'media') return scheme === 'data' && raster.test(compact);
  return scheme === 'mailto' || scheme === 'tel';
}

/** Makes an address absolute, unless it is already, or leads to a place within its page. */
export function absolute(
  address: string,
  { media, links, page }: AddressBase,
  kind: string,
): string {
  if (address.startsWith('#')) return page && kind === 'link' ? page.href + address : address;
  const base = kind === 'media' ? media : links;
  if (!base || address === '' || URL.canParse(address)) return address;
  return URL.parse(address, base)?.href ?? address;
}

/** Maps the addresses of a `srcset` (HTML, 4.8.4.2.1), and leaves out those without a result. */
export function mapSrcset(srcset: string, map: (address: string) => string | undefined): string {
  const kept: string[] = [];
  for (let rest = skip(srcset); rest !== ''; rest = skip(rest)) {
    const token = rest.slice(0, rest.search(/\s|$/));
    let end = token.length;
    while (token[end - 1] === ',') end -= 1;
    // A comma at the end of an address ends the candidate, too.
    const length = end < token.length ? end : token.length + rest.slice(token.length).search(/,|$/);
    const mapped = map(token.slice(0, end));
    if (mapped) kept.push(mapped + rest.slice(end, length).trimEnd());
    rest = rest.slice(length);
  }
  return kept.join(', ');
}

const skip = (text: string) => text.replace(/^[\s,]+/, '');
