import type { Attribute, Element } from './parse-html.ts';
import type { Policy } from './policy.ts';

const frameAttribute =
  /^(?:src|width|height|title|loading|allow|allowfullscreen|referrerpolicy|sandbox|class|style|frameborder)$/;
const safeFeatures = /^(?:autoplay|encrypted-media|fullscreen|picture-in-picture|web-share)$/;

/**
 * Reduces a frame to a fixed list of attributes.
 *
 * @returns whether it shows a page of an allowed host, by https and at its usual port
 */
export function sanitizeFrame(element: Element, { frames, allowList }: Policy, base: URL): boolean {
  const source = element.attrs.find(({ name }) => name === 'src')?.value ?? '';
  const url = URL.parse(source, base);
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return false;
  if (frames !== 'any' && !frames.has(url.hostname)) return false;
  const listed = allowList.attributes?.iframe ?? [];
  element.childNodes = [];
  element.attrs = element.attrs.flatMap((attribute): Attribute[] => {
    const { name, value } = attribute;
    if (name === 'src') return [{ name, value: url.href }];
    if (name === 'allow') return allowedFeatures(value);
    return frameAttribute.test(name) || listed.includes(name) ? [attribute] : [];
  });
  return true;
}

/** Keeps the features that affect only the frame itself. */
function allowedFeatures(value: string): Attribute[] {
  const features = value.split(';').map((feature) => feature.trim());
  const kept = features.filter((feature) => safeFeatures.test(feature));
  return kept.length > 0 ? [{ name: 'allow', value: kept.join('; ') }] : [];
}
