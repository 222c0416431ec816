import { decodeListed } from '../../client/article.ts';
import type { Check, Report } from './probe.ts';

/** The number of rows below which their order shows nothing. */
const fewRows = 4;

/** Reads the same rows in smaller pages. A table without a stable order repeats some, and hides others. */
export async function probeStability(check: Check, report: Report): Promise<void> {
  const { listed, requests, page, options } = check;
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
  check.isUnordered = true;
  const missing = ids.filter((id) => !cut.includes(id));
  report(
    'wrong',
    `the order of rows depends on \`limit\` and \`offset\`${
      missing.length > 0
        ? `: in pages of ${limit}, ${missing.length} of ${ids.length} are missing`
        : ''
    }`,
    'The service has to list its articles in an order that never changes, such as by id. Otherwise, articles can be missing from a build.',
  );
}

/** Reports what a later build costs, and suggests the field that shows changes. */
export async function reportSummaries(
  { page, listed, suggested, requests, sample }: Check,
  report: Report,
): Promise<void> {
  const total = page.count ?? listed.length;
  const { articles } = await sample();
  const rows = new Map(listed.map((row) => [row.id, row.extra]));
  const [first] = articles;
  const updatedField = Object.keys(first?.extra ?? {}).find(
    (name) =>
      /updat|modif|chang|version|revision/i.test(name) &&
      articles.every(({ id, extra }) => isSameField(name, extra, rows.get(id) ?? {})),
  );
  if (updatedField) {
    suggested.updatedField = updatedField;
    const effect = `with \`updatedField\`, a later build fetches those whose \`${updatedField}\` changed`;
    return report(
      'note',
      `summaries: ${effect}`,
      'Set `updatedField`, if it changes with every edit.',
    );
  }
  const isConditional =
    first?.validators &&
    (await requests.client.getIfChanged(first.id, first.validators, requests.call())) ===
      'unchanged';
  const kind = isConditional ? 'a conditional request' : 'a request';
  const effect = `every build sends ${kind} for each article, ${total} now`;
  report('note', `summaries without a field that shows changes: ${effect}`);
}

function isSameField(
  name: string,
  article: Record<string, unknown>,
  row: Record<string, unknown>,
): boolean {
  const value = article[name];
  return Boolean(value) && JSON.stringify(value) === JSON.stringify(row[name]);
}

async function readIds(
  { client, call }: Check['requests'],
  part: { limit: number; offset: number },
): Promise<string[]> {
  const { rows } = await client.listPage(part, call());
  return rows.map((row, index) => {
    const decoded = decodeListed(row, index + 1);
    return 'id' in decoded ? decoded.id : '';
  });
}
