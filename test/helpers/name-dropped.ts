import type { DroppedHtml } from '../../src/shared/dropped-html.ts';

/** Names a part that was dropped in a few words, so that a row of a table can expect it. */
export function nameDropped({ kind, name, on, host, scheme }: DroppedHtml): string {
  switch (kind) {
    case 'frame':
      return ['iframe', ...(host === undefined ? [] : [host])].join(' ');
    case 'element':
      return `<${name}>`;
    case 'stray item':
      return `<${name}> outside of a list`;
    case 'drawing':
      return `<${name}> in a drawing`;
    case 'url':
      return `${name}${scheme ? ` with ${scheme}` : ''} on ${on}`;
    case 'text with a tag':
      return `${name} with a tag on ${on}`;
    default:
      return on === undefined ? kind : `${name} on ${on}`;
  }
}
