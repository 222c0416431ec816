/** What articles may contain beyond the default: the object form of the option `sanitize`. */
export interface Widening {
  /** Elements, by tag name. */
  tags?: readonly string[] | undefined;
  /** Attributes, by tag name or `*`, as HTML writes them. */
  attributes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Hosts whose pages may be embedded with an `<iframe>`. */
  iframes?: readonly string[] | undefined;
}

const runsScript = 'it can run script';
const isFrame = 'it shows a page of any host: use `iframes`';

/** Elements that would open every article of the service, however their attributes are judged. */
const refusedTags: Record<string, string> = {
  ...reason('script style link meta base template portal fencedframe', runsScript),
  ...reason('animate animatemotion animatetransform discard set', runsScript),
  ...reason('foreignobject annotation-xml mglyph malignmark', runsScript),
  ...reason('noscript noembed noframes xmp plaintext title textarea listing', runsScript),
  ...reason('iframe frame frameset object embed applet param', isFrame),
};

/** Returns why a widening cannot be used; undefined when it can. */
export function wideningProblem({ tags = [], attributes = {} }: Widening): string | undefined {
  for (const tag of tags) {
    const name = tag.toLowerCase();
    const problem = refusedTags[name] ?? (/^astro-/.test(name) ? runsScript : undefined);
    if (problem) return `\`tags\` must not contain "${tag}", because ${problem}`;
  }
  for (const name of Object.values(attributes).flat()) {
    if (isRefusedAttribute(name)) {
      return `\`attributes\` must not contain "${name}", because ${runsScript}`;
    }
  }
  return undefined;
}

/** Whether an attribute runs script on any element. */
export function isRefusedAttribute(name: string): boolean {
  return /^(?:on.*|srcdoc|http-equiv|shadowroot.*)$/i.test(name.replace(/^.*:/, ''));
}

function reason(names: string, problem: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, problem]));
}
