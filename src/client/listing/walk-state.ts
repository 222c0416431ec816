import { type ArticleProblem, ArticlesListingError } from '../../errors.ts';
import type { Article, ListedArticle, Row } from '../article.ts';
import type { ListingPage } from './page.ts';

/**
 * What speaks against a walk: an id came twice, pages or `count` shifted, there were fewer rows than
 * `count`, or the first page came again for another `offset`.
 */
export type Doubt = 'repeats' | 'moved' | 'short' | 'ignored';

/** One way through the whole listing. */
export interface Walk {
  /** The ids in the order of the listing, each once. */
  ids: string[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
  doubts: ReadonlySet<Doubt>;
  /** Whether every row up to the end was taken, and the service said itself that it is the end. */
  endStated: boolean;
  /** Whether as many articles came as the service says there are. */
  complete: boolean;
  /** How many articles the service says there are. */
  count: number | undefined;
  envelope: string;
}

/** A page as a walk sees it. */
export interface TakenPage {
  offset: number;
  /** Where the next page begins. */
  end: number;
  ids: string[];
  /** How many ids no earlier page of this walk held. */
  fresh: number;
  count: number | undefined;
  more: boolean | undefined;
}

/** Given the new rows of a page as it arrives; a promise puts off the page after it. */
export type OnRows<Kept = Article> = (rows: ListedArticle<Kept>[]) => void | Promise<void>;

const maxArticles = 1_000_000;

/** Collects the pages of a walk. It keeps ids only: the articles themselves may be many. */
export function createTaken<Kept>(onRows: OnRows<Kept> | undefined) {
  const pages: TakenPage[] = [];
  const types = new Map<string, ListedArticle['idType']>();
  const problems: ArticleProblem[] = [];
  const doubts = new Set<Doubt>();
  let envelope = '';

  /** `expected` is the id that the first row must have when pages overlap; that row is not new. */
  async function add(
    offset: number,
    page: ListingPage<Row<Kept>>,
    expected?: string,
  ): Promise<TakenPage> {
    const rows = page.rows.filter((row) => 'id' in row);
    problems.push(...page.rows.flatMap((row) => ('problem' in row ? [row.problem] : [])));

    if (expected !== undefined && rows[0]?.id !== expected) doubts.add('moved');
    const overlap = expected !== undefined && rows[0]?.id === expected ? 1 : 0;
    const fresh = rows.slice(overlap).filter(isFresh);
    if (pages.some(({ count }) => count !== page.count)) doubts.add('moved');
    envelope ||= page.envelope;

    const taken = {
      offset,
      end: offset + page.rows.length,
      ids: rows.map(({ id }) => id),
      fresh: fresh.length,
      count: page.count,
      more: page.more,
    };
    pages.push(taken);
    await onRows?.(fresh);
    return taken;
  }

  function isFresh({ id, idType }: ListedArticle<Kept>): boolean {
    const known = types.get(id);
    if (known === undefined) {
      if (types.size >= maxArticles) throw endless();
      types.set(id, idType);
      return true;
    }
    if (known !== idType) throw clash(id);
    doubts.add('repeats');
    return false;
  }

  /** The page with rows that is furthest down the listing, or the first one. */
  function last(): TakenPage | undefined {
    return pages
      .filter(({ offset, end }) => end > offset)
      .reduce(
        (furthest, page) => (furthest && furthest.end >= page.end ? furthest : page),
        pages[0],
      );
  }

  /** Everything came in one piece, so nothing that was seen twice matters. */
  function trustFirst(): void {
    pages.length = 1;
    doubts.clear();
  }

  function finish(): Walk {
    const ordered = pages.toSorted((a, b) => a.offset - b.offset);
    // A page in the middle may have come empty: only rows without a gap count as read.
    const reach = ordered.reduce(
      (end, page) => (page.offset <= end ? Math.max(end, page.end) : end),
      0,
    );
    const furthest = last();
    const count = furthest?.count;
    const whole = reach === (furthest?.end ?? 0);
    if (!whole || (count !== undefined && reach < count)) doubts.add('short');
    const ids = [...new Set(ordered.flatMap((page) => page.ids))];
    return {
      ids,
      problems,
      doubts,
      endStated: whole && furthest?.more === false,
      complete: whole && (count === undefined || ids.length + problems.length >= count),
      count,
      envelope,
    };
  }

  return { add, last, trustFirst, finish, doubt: (doubt: Doubt) => void doubts.add(doubt) };
}

function endless(): ArticlesListingError {
  return new ArticlesListingError(
    'listing-endless',
    `The listing has not ended after ${maxArticles} articles.`,
    { hint: 'A service that invents a next page for ever looks like this.' },
  );
}

function clash(id: string): ArticlesListingError {
  return new ArticlesListingError(
    'id-clash',
    `The listing holds the id ${JSON.stringify(id)} both as text and as a number.`,
    { hint: 'Both have the same address, so one of the two articles could never be fetched.' },
  );
}
