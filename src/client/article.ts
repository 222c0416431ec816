import * as z from 'zod';
import type { ArticleProblem } from '../errors.ts';
import { FaultSignal } from './http/failure.ts';
import { idFault } from './urls.ts';

/** An article as the service gives it (contract, section 2), its types made certain. */
export interface Article {
  id: string;
  /** Empty when the service gave none: then the article is a draft. */
  title: string;
  /** Markdown. Empty when the service gave none: then the article is a draft. */
  content: string;
  /** As the service wrote it: an absolute or relative URL, or null for none. */
  cover_image: string | null;
  /** Fields that the contract does not name. */
  extra: Record<string, unknown>;
}

/** A row of the listing. `article` is there when the row holds all four fields: that, or what is kept of it. */
export interface ListedArticle<Kept = Article> {
  id: string;
  /** How the service writes the id: 1 and "1" are one id to us, and may be two to it. */
  idType: 'text' | 'number';
  article?: Kept;
}

/** A row, or what is wrong with it. */
export type Row<Kept = Article> = ListedArticle<Kept> | { problem: ArticleProblem };

const idSchema = z
  .union([z.string(), z.int(), z.bigint()])
  .transform(String)
  .superRefine((id, context) => {
    const fault = idFault(id);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

const textSchema = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

const coverSchema = z
  .union([z.string(), z.looseObject({ url: z.string() }), z.looseObject({ src: z.string() })])
  .nullish()
  .transform((cover) => {
    if (cover === null || cover === undefined) return null;
    const url = typeof cover === 'string' ? cover : 'url' in cover ? cover.url : cover.src;
    return String(url).trim() || null;
  });

const articleSchema = z.looseObject({
  id: idSchema,
  title: textSchema,
  content: textSchema,
  cover_image: coverSchema,
});

/** A title or a body is missing, so the article is not ready to be shown. */
export function isDraft({ title, content }: Article): boolean {
  return title.trim() === '' || content.trim() === '';
}

/**
 * Reads the answer of the single-article endpoint (contract 4.2). Fields that are wrong come back as
 * problems; an answer that is no article, or another one than asked, fails the attempt.
 */
export function decodeArticle(
  value: unknown,
  askedId: string,
): { article: Article } | { problems: ArticleProblem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected('answered with no object where an article was asked for');
  }
  const id = idSchema.safeParse(Reflect.get(value, 'id'));
  if (!id.success) {
    throw unexpected(
      `answered without a usable id (fields: ${Object.keys(value).slice(0, 12).join(', ')})`,
    );
  }
  if (id.data !== askedId) {
    throw new FaultSignal({
      code: 'wrong-article',
      reason: `answered with the article ${JSON.stringify(id.data)}`,
      hint: 'The service must answer with the article whose id stands in the path.',
    });
  }
  const parsed = articleSchema.safeParse(value);
  return parsed.success
    ? { article: toArticle(parsed.data) }
    : { problems: fieldProblems(parsed.error, askedId) };
}

/** The same row with what is kept of its article. */
export function keepOf<Kept>(row: Row, keep: (article: Article) => Kept): Row<Kept> {
  if ('problem' in row) return row;
  const { id, idType, article } = row;
  return article ? { id, idType, article: keep(article) } : { id, idType };
}

/** Reads a row of the listing (contract 4.1): at least its id. */
export function decodeListed(value: unknown, place: number): Row {
  const where = `(row ${place} of the listing)`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: { id: where, reason: 'it is no object' } };
  }
  const idType = typeof Reflect.get(value, 'id') === 'string' ? 'text' : 'number';
  const complete = ['title', 'content', 'cover_image'].every((field) => field in value);
  const whole = complete ? articleSchema.safeParse(value) : undefined;
  if (whole?.success) return { id: whole.data.id, idType, article: toArticle(whole.data) };

  // A row that is wrong in itself is a summary at worst: the article's own answer decides.
  const id = idSchema.safeParse(Reflect.get(value, 'id'));
  return id.success
    ? { id: id.data, idType }
    : { problem: { id: where, field: 'id', reason: idReason(value, id.error) } };
}

function toArticle({
  id,
  title,
  content,
  cover_image,
  ...extra
}: z.output<typeof articleSchema>): Article {
  return { id, title, content, cover_image, extra };
}

function unexpected(reason: string): FaultSignal {
  return new FaultSignal({ code: 'unexpected-shape', reason });
}

function idReason(row: object, error: z.ZodError): string {
  const id: unknown = Reflect.get(row, 'id');
  if (typeof id === 'string')
    return `${JSON.stringify(id.slice(0, 80))}: ${error.issues[0]?.message}`;
  return `expected text or a whole number, got ${kindOf(id)}`;
}

function fieldProblems(error: z.ZodError, id: string): ArticleProblem[] {
  return error.issues.map((issue) => ({
    id,
    field: issue.path.join('.'),
    reason: issue.message.replace(/^Invalid input: /, ''),
  }));
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
