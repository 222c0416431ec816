import { type Article, decodeListed, isDraft, type ListedArticle } from '../../client/article.ts';
import type { Facts } from './facts.ts';

/** What the rows of a listing tell without another request. */
export interface Rows {
  listed: ListedArticle[];
  ids: Facts['ids'];
  badRows: Facts['badRows'];
  order: Facts['order'];
  rows: Facts['rows'];
}

export function readRows(rows: readonly unknown[]): Rows {
  const decoded = rows.map((row, index) => decodeListed(row, index + 1));
  const listed = decoded.filter((row) => 'id' in row);
  return {
    listed,
    ids: countBy(listed, idForm),
    badRows: decoded.flatMap((row) => ('problem' in row ? [row.problem] : [])),
    order: orderOf(listed.map(({ id }) => id)),
    rows:
      listed.length === 0 ? null : listed.every(({ article }) => article) ? 'full' : 'summaries',
  };
}

/** Only numbers that all go one way tell an order: the newer article has the higher one. */
export function orderOf(ids: readonly string[]): Facts['order'] {
  if (ids.length < 2 || !ids.every((id) => /^\d+$/.test(id))) return null;
  const numbers = ids.map(BigInt);
  const pairs = numbers.slice(1).map((id, index) => [numbers[index] ?? id, id] as const);
  if (pairs.every(([before, after]) => before > after)) return 'newest-first';
  return pairs.every(([before, after]) => before < after) ? 'oldest-first' : null;
}

/** A cover as the service wrote it. */
export interface Cover {
  form: string;
  url?: string;
}

/** The covers of rows or articles that name the field at all. */
export function readCovers(values: readonly unknown[]): Cover[] {
  const named = values.filter((value) => typeof value === 'object' && value !== null);
  return named.flatMap((value) => {
    return 'cover_image' in value ? [readCover(value.cover_image)] : [];
  });
}

export function coverForms(covers: readonly Cover[]): Record<string, number> {
  return countBy(covers, ({ form }) => form);
}

function readCover(cover: unknown): Cover {
  if (cover === null || cover === '' || cover === undefined) return { form: 'none' };
  if (typeof cover === 'string') return { form: urlForm(cover), url: cover };
  for (const key of ['url', 'src']) {
    const url: unknown = typeof cover === 'object' ? Reflect.get(cover, key) : undefined;
    if (typeof url === 'string') return { form: `{ ${key} }, ${urlForm(url)}`, url };
  }
  return { form: 'not usable' };
}

function urlForm(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  return scheme ? `absolute ${scheme.toLowerCase()} URL` : 'relative URL';
}

export function countDrafts(articles: readonly Article[]): Facts['drafts'] {
  return { found: articles.filter(isDraft).length, among: articles.length };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function idForm({ id, idType }: ListedArticle): string {
  if (idType === 'number') return 'whole numbers';
  if (uuid.test(id)) return 'UUIDs';
  return /^\d+$/.test(id) ? 'whole numbers as text' : 'text';
}

function countBy<T>(values: readonly T[], name: (value: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(name(value), (counts.get(name(value)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
