import type { Element, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { parseFragment } from 'parse5';
import { visit } from 'unist-util-visit';

const tagNames = (
  'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan ' +
  'linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix ' +
  'feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap ' +
  'feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge ' +
  'feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence'
).split(' ');
const attributes = (
  'id xmlns viewBox width height x y x1 x2 y1 y2 cx cy r rx ry fx fy d points pathLength transform ' +
  'preserveAspectRatio fill fillOpacity fillRule stroke strokeWidth strokeOpacity strokeLineCap ' +
  'strokeLineJoin strokeMiterLimit strokeDashArray strokeDashOffset opacity color display ' +
  'visibility offset stopColor stopOpacity gradientUnits gradientTransform spreadMethod clipPath ' +
  'clipRule clipPathUnits mask maskUnits maskContentUnits patternUnits patternContentUnits ' +
  'patternTransform markerWidth markerHeight markerUnits markerStart markerMid markerEnd refX refY ' +
  'orient filter filterUnits primitiveUnits in in2 result stdDeviation mode operator type values dx ' +
  'dy k1 k2 k3 k4 radius floodColor floodOpacity baseFrequency numOctaves seed stitchTiles scale ' +
  'xChannelSelector yChannelSelector tableValues slope intercept amplitude exponent surfaceScale ' +
  'specularConstant specularExponent diffuseConstant azimuth elevation lightingColor href ' +
  'xLinkHref textAnchor fontFamily fontSize fontWeight fontStyle letterSpacing wordSpacing ' +
  'dominantBaseline shapeRendering vectorEffect paintOrder mixBlendMode'
).split(' ');

/** Whether bytes look like an SVG image; compressed ones do not. */
export function isSvg(bytes: Uint8Array): boolean {
  let rest = Buffer.from(bytes.subarray(0, 4096))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  for (let end = prologueEnd(rest); end > 0; end = prologueEnd(rest)) {
    rest = rest.slice(end).trimStart();
  }
  return /^<svg[\s/>]/i.test(rest);
}

/** Where a comment, a declaration or a doctype ends that a text begins with; 0 when it does not. */
function prologueEnd(text: string): number {
  const close = text.startsWith('<!--') ? '-->' : /^<(?:\?|!doctype)/i.test(text) ? '>' : undefined;
  const at = close ? text.indexOf(close) : -1;
  return close && at !== -1 ? at + close.length : 0;
}

/**
 * Keeps of an SVG image what draws: no scripts, styles, links, animations or foreign content, and
 * references only to itself. Its size is written out, since Astro ends a build that cannot read one.
 *
 * @returns undefined when nothing is left to draw
 */
export function cleanSvg(bytes: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  const parsed = fromParse5(parseFragment(text, { scriptingEnabled: false }));
  const parts = parsed.type === 'root' ? parsed.children : [];
  const root = parts.find((node) => node.type === 'element' && node.tagName === 'svg');
  if (root?.type !== 'element') return undefined;
  const clean = sanitize(root, {
    tagNames,
    attributes: { '*': attributes },
    clobber: [],
    strip: ['script', 'style', 'foreignObject'],
  });
  const size = clean.type === 'element' ? sizeOf(clean) : undefined;
  if (clean.type !== 'element' || !size) return undefined;
  visit(clean, 'element', dropReferences);
  Object.assign(clean.properties, { xmlns: 'http://www.w3.org/2000/svg', ...size });
  const tree: Root = { type: 'root', children: [clean] };
  return Buffer.from(toHtml(tree, { space: 'svg', closeEmptyElements: true }));
}

/** A reference may only lead to a part of the image itself. */
function dropReferences({ properties }: Element): void {
  for (const [name, value] of Object.entries(properties)) {
    const text = String(value);
    const isLink = name === 'href' || name === 'xLinkHref';
    const isOutside = isLink ? !text.startsWith('#') : /url\s*\((?!\s*['"]?#)/i.test(text);
    if (isOutside) delete properties[name];
  }
}

function sizeOf({ properties }: Element): { width: number; height: number } | undefined {
  const [, , boxWidth, boxHeight] = String(properties.viewBox ?? '')
    .split(/[\s,]+/)
    .map(Number);
  const width = pixels(properties.width) ?? boxWidth;
  const height = pixels(properties.height) ?? boxHeight;
  const isWhole = width !== undefined && height !== undefined && width > 0 && height > 0;
  return isWhole ? { width, height } : undefined;
}

function pixels(value: unknown): number | undefined {
  const number = /^(\d+(?:\.\d+)?)(?:px)?$/.exec(String(value ?? ''))?.[1];
  return number === undefined ? undefined : Number(number);
}
