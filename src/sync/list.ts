import type { Article, ListedArticle } from '../client/article.ts';
import type { ArticlesClient, CallOptions } from '../client/client.ts';
import type { Survey } from '../client/listing/survey.ts';
import type { ArticleProblem } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { digestOf } from '../mirror/stored-article.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { indexArticle, isProven } from './indexed-article.ts';

/** A row of the listing, without its texts. */
export type ListedRow =
  | RowToFetch
  /** With `trustList`, the article from the row. Its text is already in the mirror. */
  | { kind: 'stored'; id: string; digest: string; stored: IndexedArticle };

/** A row whose article may have to be fetched. `extra` has the fields that are not part of the contract. */
export type RowToFetch =
  /** A row that lacks a field, or differs between two walks. */
  | { kind: 'partial'; id: string; digest?: undefined; extra?: Record<string, unknown> }
  | {
      kind: 'whole';
      id: string;
      /** The digest of the row's article. */
      digest: string;
      /** The row's cover, whose URL may have a newer signature than the one in the mirror. */
      cover: string | null;
      /** Absent when they are already in the mirror. */
      extra?: Record<string, unknown>;
    };

/** The listing of the service. */
export interface Listing extends Omit<Survey, 'ids' | 'walks' | 'envelope'> {
  /** In the order of the listing, each id once. */
  rows: ListedRow[];
  /** Fields that are ignored because of their type. */
  notes: ArticleProblem[];
}

export interface ListOptions extends CallOptions {
  client: ArticlesClient;
  mirror: Mirror;
  options: Pick<ResolvedOptions, 'trustList' | 'newest' | 'order'>;
  /** Called with the number of articles listed so far. */
  onListed?: ((count: number) => void) | undefined;
}

/**
 * Reads the listing, or its newest part. Each page is reduced to ids and digests as it arrives, so that no texts are
 * kept in memory; with `trustList`, complete rows are written to the mirror.
 *
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function listArticles(listOptions: ListOptions): Promise<Listing> {
  const { client, mirror, signal, deadline } = listOptions;
  const { trustList, newest, order } = listOptions.options;
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));
  const rows = new Map<string, ListedRow>();
  const notes = new Map<string, readonly ArticleProblem[]>();

  async function addRow({ id, article, extra }: ListedArticle): Promise<void> {
    if (!article) {
      rows.set(id, { kind: 'partial', id, extra });
      return;
    }
    const { cover_image: cover } = article;
    const digest = digestOf(article);
    const earlier = rows.get(id);
    const isDifferent = earlier && earlier.digest !== digest;
    const known = before.get(id);
    const isKnown = known && isProven(known, digest, mirror.hasArticle);
    // If a row differs between two walks, it is unknown which version is newer, so the article is fetched.
    if (trustList) {
      rows.set(id, { kind: 'stored', id, digest, stored: await store(article, digest) });
    } else if (isDifferent) rows.set(id, { kind: 'partial', id, extra });
    else rows.set(id, { kind: 'whole', id, digest, cover, ...(isKnown ? {} : { extra }) });
    if (article.notes) notes.set(id, article.notes);
  }

  async function store(article: Article, digest: string): Promise<IndexedArticle> {
    const known = before.get(article.id);
    const isCurrent = known?.digest === digest && mirror.hasArticle(known.object);
    const object = isCurrent ? known.object : await mirror.writeArticle(article);
    return indexArticle(article, { digest, object, row: isCurrent ? known.row : undefined });
  }

  const survey = await client.survey({
    known: before.keys(),
    newest,
    order,
    signal,
    deadline,
    async onRows(page) {
      for (const row of page) await addRow(row);
      listOptions.onListed?.(rows.size);
    },
  });
  const { ids, problems, unproven, doubt, older } = survey;
  // An article that is not among the newest may be among the others.
  const isFull = newest !== undefined && ids.length + problems.length >= newest;
  const present = isFull ? await stillThere() : new Set<string>();
  return {
    rows: ids.flatMap((id) => rows.get(id) ?? []),
    gone: survey.gone.filter((id) => !present.has(id)),
    left: [...new Set([...survey.left, ...present])],
    older,
    problems,
    notes: [...notes.values()].flat(),
    unproven,
    doubt,
  };

  /** Returns the articles that the newest ones lack, and that the service still has. */
  async function stillThere(): Promise<Set<string>> {
    const call = { signal, deadline };
    // An article that cannot be read exists.
    const has = (id: string) => client.getArticle(id, call).then(Boolean, () => true);
    if (!ids.some((id) => before.has(id))) {
      // There are more new articles than `newest`, or it is another project. One article shows which.
      const known = [...before.keys()];
      const [oldest] = known.slice(-1);
      return new Set(oldest !== undefined && (await has(oldest)) ? known : []);
    }
    const checked = survey.gone.map(async (id) => ((await has(id)) ? [id] : []));
    return new Set((await Promise.all(checked)).flat());
  }
}
