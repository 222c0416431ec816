import { type Article, keepOf, type ListedArticle, type Row } from '../client/article.ts';
import type { SurveyRow } from '../client/client.ts';
import { digestOf } from '../mirror/article-file.ts';
import type { ListedRow, MirrorArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { hash } from '../shared/hash.ts';

/** What is kept of a row that holds a whole article. */
export interface RowFacts {
  digest: string;
  cover: string | null;
  /** The hash of its bytes. */
  hash?: string | undefined;
  /** All of it, when it is trusted. */
  trusted?: Article | undefined;
}

/** What is kept of a row while its article is fetched. */
export type WaitingRow = Omit<RowFacts, 'trusted'> & Pick<ListedArticle, 'idType'>;

export interface KnownRowsOptions {
  mirror: Mirror;
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, MirrorArticle>;
  trustList: boolean;
}

/** What the rows of earlier listings say about those of this one. */
export interface KnownRows {
  /** Makes of a row what is kept of it. One whose bytes are known is not read. */
  take(row: SurveyRow): Row<RowFacts>;
  /** The article as the mirror has it, where the row proves that it is unchanged. */
  unchanged(id: string, row: WaitingRow): MirrorArticle | undefined;
}

export function createKnownRows({ mirror, before, trustList }: KnownRowsOptions): KnownRows {
  const byHash = new Map<string, MirrorArticle>();
  for (const article of before.values()) {
    if (article.listed?.hash && isBelieved(article)) byHash.set(article.listed.hash, article);
  }

  /** Whether the row of an article proves that it is unchanged, when it tells the same again. */
  function isBelieved({ listed }: MirrorArticle): boolean {
    return listed !== undefined && (trustList || !listed.trusted);
  }

  function take({ json, read }: SurveyRow): Row<RowFacts> {
    const hashed = json && hash(json);
    const known = hashed === undefined ? undefined : byHash.get(hashed);
    if (known?.listed && mirror.hasArticle(known.object)) {
      const { id, digest, cover, listed } = known;
      return { id, idType: listed.idType, article: { digest, cover, hash: listed.hash } };
    }
    return keepOf(read(), (article) => ({
      digest: digestOf(article),
      cover: article.cover_image,
      hash: hashed,
      trusted: trustList ? article : undefined,
    }));
  }

  function unchanged(id: string, row: WaitingRow): MirrorArticle | undefined {
    const known = before.get(id);
    const isSame = known && row.digest === known.digest && isBelieved(known);
    if (!isSame || !mirror.hasArticle(known.object)) return undefined;
    const listed = { idType: row.idType, hash: row.hash, trusted: known.listed?.trusted };
    return { ...known, cover: row.cover, listed };
  }

  return { take, unchanged };
}

/** What the index keeps of a row that tells the same as its article. */
export function listedAs(
  row: WaitingRow,
  { article, trusted }: { article: Article; trusted: Article | undefined },
): ListedRow {
  return {
    idType: row.idType,
    // The row may sign its cover otherwise: then its bytes do not tell what is kept.
    hash: row.cover === article.cover_image ? row.hash : undefined,
    trusted: trusted && true,
  };
}
