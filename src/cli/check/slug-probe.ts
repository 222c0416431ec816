import { idOf, slugOf } from '../../render/slug.ts';
import type { Check, Report } from './probe.ts';

/** Reports which path pages on demand need, once a site builds only its newest articles. */
export async function probeSlugs({ listed }: Check, report: Report): Promise<void> {
  const ids = listed.map(({ id }) => id);
  const slugs = await Promise.all(ids.map((id) => slugOf({ id, title: 'title' })));
  const unreadable = ids.filter((id, index) => idOf(slugs[index] ?? '') !== id);
  const isSegment = (id: string) => /^[\w.~-]+$/.test(id);
  const count = `${unreadable.length} of ${ids.length} ids`;
  if (ids.length === 0) return;
  if (unreadable.length === 0) {
    report('ok', 'contain the id: with `newest`, pages on demand can be at /articles/[slug]');
  } else if (unreadable.every(isSegment)) {
    report(
      'note',
      `${count} are in slugs as a hash`,
      'Only with `newest`: place the pages of articles at /articles/[id]/[slug].',
    );
  } else {
    report(
      'note',
      `${count} are in slugs as a hash, and some cannot be a part of a path, either`,
      'Do not set `newest`: pages on demand could not find these articles by their path.',
    );
  }
}
