const tags =
  'a abbr audio b bdi bdo big blockquote br button caption center cite code col colgroup dd del details dfn ' +
  'dir div dl dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hr i iframe img input ins kbd ' +
  'label li main map area mark meter nav ol option p picture pre progress q rp rt ruby s samp section select ' +
  'small source span strong sub summary sup table tbody td textarea tfoot th thead time tr track tt u ul var ' +
  'video wbr x-chart';
const empty = /^(?:area|br|col|hr|img|input|source|track|wbr)$/;

/**
 * Files with an Astro component for each element, which draws that element again, and a module that exports
 * them by tag name: `import { same } from '../same/index.ts'`.
 */
export const sameElements: Record<string, string> = {
  ...Object.fromEntries(
    tags.split(' ').map((tag) => {
      const inner = empty.test(tag) ? ' />' : `><slot /></${tag}>`;
      return [`src/same/${tag}.astro`, `<${tag} {...Astro.props}${inner}`];
    }),
  ),
  'src/same/index.ts': `
    const modules = import.meta.glob('./*.astro', { eager: true });
    export const same = Object.fromEntries(Object.entries(modules).map(([path, module]) =>
      [path.slice(2, -'.astro'.length), module.default]));`,
};
