import type { AllowList, SanitizeOption } from '../shared/sanitize-option.ts';
import {
  htmlAttributes,
  layoutTags,
  type Names,
  styleProperties,
  textTags,
  wordSet,
} from './kept-names.ts';

/** The elements, attributes and styles that are kept. All others are dropped. Names are in lower case. */
export interface Policy {
  tags: Names;
  /** Whether SVG, MathML, and elements with a hyphen in their name are dropped. */
  isStrict: boolean;
  /** The attributes of all elements, in addition to `aria-` attributes. */
  attributes: Names;
  /** The other attributes of elements, by tag name. */
  htmlAttributes: ReadonlyMap<string, Names>;
  /** The classes that are kept, in addition to those of the processor and of the languages of code. */
  keptClasses: Names | 'any';
  /** The properties that a `style` attribute may set. */
  styleProperties: RegExp;
  /** Hosts of frames; `'any'` for HTML that was sanitized before. */
  frames: Names | 'any';
  /** The elements and attributes that the site allows in addition. Undefined: it cannot allow any. */
  allowList: AllowList | undefined;
}

/** The `data-` attributes that Markdown processors and highlighters write. */
const dataNames = 'data-language data-footnotes data-footnote-ref data-footnote-backref';

/** Attributes that have a meaning on several elements, and no effect on others. */
const shownNames = 'align valign cite datetime';

/** Keeps what the Markdown plugins of a site write, without what runs script. */
const defaultPolicy: Policy = {
  tags: wordSet(textTags, layoutTags),
  isStrict: false,
  attributes: wordSet('class id title lang dir role tabindex hidden style', shownNames, dataNames),
  htmlAttributes,
  keptClasses: 'any',
  styleProperties,
  frames: new Set(),
  allowList: {},
};

/** Keeps only what Markdown and the highlighter write, for services whose authors are unknown. */
const strictPolicy: Policy = {
  ...defaultPolicy,
  tags: wordSet(textTags),
  isStrict: true,
  attributes: wordSet('class id title lang dir style tabindex', shownNames, dataNames),
  allowList: undefined,
  keptClasses: wordSet(`
    contains-task-list task-list-item footnotes sr-only data-footnote-backref astro-code astro-code-themes shiki line
    math math-inline math-display`),
  styleProperties:
    /^(?:--shiki-[\w-]+|(?:background-)?color|font-(?:style|weight)|text-(?:align|decoration)|overflow-x|user-select|white-space|word-wrap)$/,
};

/** For HTML that was sanitized before: drops what has a meaning only on the page of an article. */
export const feedPolicy: Policy = {
  ...defaultPolicy,
  tags: new Set([...defaultPolicy.tags].filter((tag) => tag !== 'button')),
  attributes: wordSet('title lang dir', shownNames),
  htmlAttributes: new Map([
    ...htmlAttributes,
    ['img', wordSet('src srcset sizes alt width height')],
  ]),
  frames: 'any',
};

/** Returns the policy for an option; undefined when articles may contain everything. */
export function policyFor(option: SanitizeOption): Policy | undefined {
  if (option === false) return undefined;
  if (option === 'strict') return strictPolicy;
  const allowList = option === true ? {} : option;
  const frames = new Set(allowList.iframes?.map((host) => host.toLowerCase()));
  return { ...defaultPolicy, frames, allowList };
}
