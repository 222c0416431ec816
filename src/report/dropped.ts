import { joinSome, type Notice } from '../shared/notice.ts';
import type { Version } from '../sync/version.ts';

const maxNames = 20;

/** Describes in one notice the HTML that was dropped from articles, and the option that keeps it. */
export function droppedNotice(versions: Iterable<Version>): Notice | undefined {
  const dropped = [...versions].flatMap((version) => {
    const parts = ('leftOut' in version ? undefined : version.article.renderings[0])?.dropped ?? [];
    return parts.length > 0 ? [{ id: version.article.id, parts }] : [];
  });
  if (dropped.length === 0) return undefined;
  const parts = [...new Set(dropped.flatMap((article) => article.parts))].sort();
  const frames = parts.filter((part) => part.startsWith('iframe '));
  const hosts = frames.map((frame) => `'${frame.slice('iframe '.length)}'`);
  const noun = dropped.length === 1 ? 'article' : 'articles';
  const ids = dropped.map(({ id }) => id);
  const sentences = [
    `HTML that is not allowed was dropped (${joinSome(parts, maxNames)}) from ${noun} ${joinSome(ids)}.`,
  ];
  if (hosts.length > 0) {
    sentences.push(`\`sanitize: { iframes: [${joinSome(hosts)}] }\` keeps frames.`);
  }
  if (hosts.length < parts.length) {
    sentences.push('`sanitize: { tags, attributes }` keeps what is named there.');
  }
  return { kind: 'other', ids, text: sentences.join(' ') };
}
