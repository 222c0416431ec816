import type { ArticlesClient } from '../client/client.ts';
import type { Traffic } from '../client/http/request.ts';
import { type ArticleProblem, InvalidArticlesError } from '../errors.ts';
import { createImages, type ImageProblem } from '../images/download.ts';
import { isShown, type MirrorArticle } from '../mirror/index-file.ts';
import { heldImages, type Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import { createIntake, type Prepare, type SyncProgress } from './fetch-articles.ts';
import { checkRemoval } from './removal-guard.ts';

export type { SyncProgress } from './fetch-articles.ts';

export interface SyncOptions {
  client: ArticlesClient;
  mirror: Mirror;
  options: ResolvedOptions;
  clock?: Clock | undefined;
  signal?: AbortSignal | undefined;
  /** Called for each article that is shown, while others are still fetched. */
  prepare?: Prepare | undefined;
  /** What shapes that: a name that changes with it. */
  fingerprint?: string | undefined;
  /** Told often how far the sync is. */
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

/** What a sync found, once it is committed. */
export interface SyncReport {
  /** Articles that cannot be used, and so stay as they were or are left out. */
  problems: readonly ArticleProblem[];
  /** Images that could not be had. */
  images: readonly UsedImageProblem[];
  /** Why nothing was removed, whatever may be gone; absent when all that is gone was. */
  unproven?: string;
  traffic: Traffic;
}

export interface UsedImageProblem extends ImageProblem {
  /** The ids of the articles that use it. */
  articles: string[];
  /** Whether one of them has it as its cover. */
  isCover: boolean;
}

const invalidHint =
  'Mend them in the service, or set `onInvalid: "keep"` to go on with the last good version of each ' +
  '(and without those that have none).';
const imageHint = 'Mend them in the service, or leave out `images.onError: "fail"`.';

/**
 * Brings the mirror up to date with the service: asks what there is, fetches each new or changed
 * article and image, and commits all of it at the end. Whatever fails, the mirror stays as it was.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | InvalidArticlesError | ArticlesMirrorError}
 */
export async function sync(given: SyncOptions): Promise<SyncReport> {
  const { client, mirror, options, clock = systemClock } = given;
  // Without anybody to render, what was found earlier still holds.
  const fingerprint = given.prepare ? given.fingerprint : mirror.index.fingerprint;
  const abort = new AbortController();
  const signal = given.signal ? AbortSignal.any([given.signal, abort.signal]) : abort.signal;
  const deadline = clock.now() + options.totalTimeout;
  const settings = options.images;
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));

  const images = createImages({
    mirror,
    baseUrl: client.baseUrl,
    settings,
    clock,
    deadline,
    signal,
  });
  const imagesOf = (article: MirrorArticle) => {
    const cover = settings.covers === 'local' ? article.cover : null;
    return isShown(article, options) ? [...(cover ? [cover] : []), ...(article.images ?? [])] : [];
  };
  const wantImages = (article: MirrorArticle) => {
    const changed = before.get(article.id)?.digest !== article.digest;
    for (const url of imagesOf(article)) images.want(url, { changed });
  };
  const onArticle: Prepare = async (article, stored) => {
    const found =
      given.prepare && isShown(article, options)
        ? await given.prepare(article, stored)
        : article.images;
    wantImages({ ...article, images: [...(found ?? [])] });
    return found;
  };
  const intake = createIntake({
    client,
    mirror,
    before,
    trustList: options.trustList,
    concurrency: options.concurrency,
    deadline,
    signal,
    onArticle,
    onFatal: (error) => abort.abort(error),
    onProgress: given.onProgress,
  });

  try {
    const known = before.keys();
    const { take, rows: onRows } = intake;
    const survey = await client.surveyRows(take, { known, onRows, signal, deadline });
    const harvest = await intake.finish();
    const problems = [...survey.problems, ...harvest.problems];
    if (options.onInvalid === 'fail' && problems.length > 0)
      throw new InvalidArticlesError(problems, { hint: invalidHint });

    const gone = new Set([...survey.gone, ...harvest.missing]);
    // Articles that are neither listed nor proven gone stay, behind all others.
    const ids = new Set([...survey.ids, ...before.keys()]);
    const articles = [...ids]
      .filter((id) => !gone.has(id))
      .flatMap((id) => harvest.articles.get(id) ?? before.get(id) ?? []);
    const removed = [...before.keys()].filter((id) => gone.has(id)).length;
    if (!options.allowEmpty) {
      checkRemoval({ before: before.size, after: articles.length, removed });
    }

    for (const article of articles) wantImages(article);
    const fetched = await images.finish();
    const users = usersOf(articles, imagesOf);
    const failed = withUsers(fetched.problems, users);
    if (settings.onError === 'fail' && failed.length > 0) {
      throw new InvalidArticlesError(failed.flatMap(toProblems), { hint: imageHint });
    }

    const { source, held } = mirror.index;
    const used = [...fetched.images].filter(([key]) => users.has(key));
    await mirror.commit({
      source,
      articles,
      images: new Map([...heldImages(mirror.index.images, held), ...used]),
      ...(held ? { held } : {}),
      ...(fingerprint ? { fingerprint } : {}),
      syncedAt: clock.date(),
    });
    const { unproven } = survey;
    return {
      problems,
      images: failed,
      ...(unproven ? { unproven } : {}),
      traffic: client.traffic(),
    };
  } catch (error) {
    abort.abort(error);
    // What is still under way writes files: it must have ended before the caller goes on.
    await Promise.all([intake.settled(), images.settled()]);
    throw signal.reason ?? error;
  } finally {
    images.close();
  }
}

/** The articles that show each image, by its address without a signature. */
function usersOf(
  articles: readonly MirrorArticle[],
  imagesOf: (article: MirrorArticle) => string[],
): Map<string, MirrorArticle[]> {
  const users = new Map<string, MirrorArticle[]>();
  for (const article of articles) {
    for (const key of new Set(imagesOf(article).map(unsigned))) {
      const those = users.get(key) ?? [];
      those.push(article);
      users.set(key, those);
    }
  }
  return users;
}

function withUsers(
  problems: ReadonlyMap<string, ImageProblem>,
  users: ReadonlyMap<string, MirrorArticle[]>,
): UsedImageProblem[] {
  return [...problems].flatMap(([key, problem]) => {
    const articles = users.get(key) ?? [];
    const isCover = articles.some(({ cover }) => cover && unsigned(cover) === key);
    return articles.length > 0
      ? [{ ...problem, isCover, articles: articles.map(({ id }) => id) }]
      : [];
  });
}

function toProblems({ articles, isCover, reason, url }: UsedImageProblem): ArticleProblem[] {
  const field = isCover ? 'cover_image' : 'content';
  return articles.map((id) => ({ id, field, reason: `${url}: ${reason}` }));
}
