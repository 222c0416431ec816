import { isDeepStrictEqual } from 'node:util';
import { decodeListed } from '../../client/article.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { Evidence } from './evidence.ts';
import type { Report } from './finding.ts';
import type { Requests } from './requests.ts';

/** From here on, builds need less memory with `bodies: 'mirror'`. */
const manyArticles = 2_000;
/** The number of rows below which their order shows nothing. */
const fewRows = 4;

/** Finds out how many rows a page has, and whether the service supports `offset`. */
export async function probePages(
  { page, options, requests, suggested }: Evidence,
  report: Report,
): Promise<void> {
  const { count, more, rows } = page;
  const received = rows.length;
  if (Math.max(received, count ?? 0) >= manyArticles) suggested.bodies = 'mirror';
  // The offset is large, so that a few rows that are added or removed meanwhile make no difference.
  const query = { limit: 2, offset: received - 1 };
  const part =
    received < 4
      ? []
      : await requests.client.listPage(query, requests.call()).then((page) => page.rows, noRows);
  const [first, other] = [rows[0], part[0]].map((row) => Object(row).id);
  const ignoresOffset = other !== undefined && other === first;
  const isCut = more === true || (count !== undefined && count > received);
  if (ignoresOffset && part.length > query.limit && !isCut) {
    const reason = '`limit` and `offset` are ignored';
    report('ok', `the whole list at once, ${received} rows: ${reason}`);
  } else if (ignoresOffset) {
    report(
      isCut || received >= options.pageSize ? 'wrong' : 'note',
      'every `offset` returns the first rows',
      `The service has to support \`offset\`: no article after the first ${received} can be listed.`,
    );
  } else {
    const all = !isCut && (more === false || count === received) ? 'all ' : '';
    const total = isCut && count !== undefined ? ` of ${count}` : '';
    report('ok', `requested ${options.pageSize}, received ${all}${received}${total}`);
  }
}

/** Reads the same rows in smaller pages. A table without a stable order repeats some, and hides others. */
export async function probeStability(evidence: Evidence, report: Report): Promise<void> {
  const { listed, requests, page, options } = evidence;
  const ids = listed.map(({ id }) => id);
  if (ids.length < fewRows || page.rows.length !== ids.length) return;
  const limit = Math.ceil(ids.length / 3);
  const cut: string[] = [];
  for (let offset = 0; offset < ids.length; offset += limit) {
    cut.push(...(await readIds(requests, { limit, offset })));
  }
  if (cut.length !== ids.length || cut.every((id, index) => id === ids[index])) return;
  // Otherwise, the service has changed in between.
  const again = await readIds(requests, { limit: options.pageSize, offset: 0 });
  if (again.some((id, index) => id !== ids[index])) return;
  evidence.isUnordered = true;
  const missing = ids.filter((id) => !cut.includes(id));
  report(
    'wrong',
    `the order of rows depends on \`limit\` and \`offset\`: in pages of ${limit}, ${missing.length} of ${ids.length} are missing`,
    'The service has to list its articles in an order that never changes, such as by id. Otherwise, articles can be missing from a build.',
  );
}

/** Reports what a later build costs, and suggests the field that shows changes. */
export async function reportSummaries(
  { page, listed, suggested, sample }: Evidence,
  report: Report,
): Promise<void> {
  const { articles } = await sample();
  const rows = new Map(listed.map((row) => [row.id, row.extra]));
  const names = Object.keys(articles[0]?.extra ?? {});
  const updatedField = names.find(
    (name) =>
      /updat|modif|chang|version|revision/i.test(name) &&
      articles.every(
        ({ id, extra }) => extra[name] && isDeepStrictEqual(extra[name], rows.get(id)?.[name]),
      ),
  );
  if (!updatedField) {
    const effect = `every build sends a request for each article, ${page.count ?? listed.length} now`;
    return report('note', `summaries without a field that shows changes: ${effect}`);
  }
  suggested.updatedField = updatedField;
  report(
    'note',
    `summaries: with \`updatedField\`, a later build fetches those whose \`${updatedField}\` changed`,
    'Set `updatedField`, if it changes with every edit.',
  );
}

async function readIds(
  { client, call }: Requests,
  part: { limit: number; offset: number },
): Promise<string[]> {
  const { rows } = await client.listPage(part, call());
  return rows.map((row, index) => {
    const decoded = decodeListed(row, index + 1);
    return 'id' in decoded ? decoded.id : '';
  });
}

function noRows(error: unknown): unknown[] {
  if (error instanceof ArticlesRequestError) return [];
  throw error;
}
