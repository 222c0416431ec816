import type { ListedArticle } from '../client/article.ts';
import type { ArticlesClient, CallOptions } from '../client/client.ts';
import type { Survey } from '../client/listing/survey.ts';
import type { ArticleProblem } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { digestOf } from '../mirror/stored-article.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { indexArticle } from './indexed-article.ts';
import { isUpToDate } from './summary-rows.ts';

/** A row of the listing, without its texts. */
export interface ListedRow {
  id: string;
  /** The current version in the mirror, if the row shows which one that is. Otherwise, the article is fetched. */
  stored?: IndexedArticle;
  /** The digest of the row's article. Absent when the row lacks a field, or differs between two walks. */
  digest?: string | undefined;
  /** The fields that are not part of the contract. Absent with `stored`. */
  extra?: Record<string, unknown>;
}

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
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  options: Pick<ResolvedOptions, 'trustList' | 'updatedField' | 'newest' | 'order'>;
  /** Called with the number of articles listed so far. */
  onListed?: ((count: number) => void) | undefined;
}

/**
 * Reads the listing, or its newest part, and compares each row with the mirror. Each page is reduced to ids and digests
 * as it arrives, so that no texts are kept in memory; with `trustList`, complete rows are written to the mirror.
 *
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function listArticles(listOptions: ListOptions): Promise<Listing> {
  const { client, mirror, before, signal, deadline } = listOptions;
  const { trustList, updatedField, newest, order } = listOptions.options;
  const rows = new Map<string, ListedRow>();
  const notes = new Map<string, readonly ArticleProblem[]>();

  async function addRow(row: ListedArticle): Promise<void> {
    const { id, article, extra } = row;
    let digest = article && digestOf(article);
    const earlier = rows.get(id);
    // If a row differs between two walks, it is unknown which version is newer, so the article is fetched.
    if (earlier && earlier.digest !== digest && !trustList) digest = undefined;
    const stored = await storedVersion(row, digest);
    rows.set(id, stored ? { id, digest, stored } : { id, digest, extra });
    if (article?.notes) notes.set(id, article.notes);
  }

  /** Returns the version in the mirror that a row shows to be current. */
  async function storedVersion(
    { id, article, extra }: ListedArticle,
    digest: string | undefined,
  ): Promise<IndexedArticle | undefined> {
    const found = before.get(id);
    const known = found && mirror.hasArticle(found.object) ? found : undefined;
    if (article && digest) {
      // The URL of the cover may have a newer signature.
      const current = known?.digest === digest && { ...known, cover: article.cover_image };
      if (current && (trustList || known.row === 'same')) return current;
      if (trustList) {
        return indexArticle(article, { digest, object: await mirror.writeArticle(article) });
      }
    }
    return known && isUpToDate(known, extra, updatedField) ? known : undefined;
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
