import { isDeepStrictEqual } from 'node:util';
import { assignSlugs } from '../../content/slugs.ts';
import { quote } from '../../errors.ts';
import type { ArticlesOptions } from '../../options/options.ts';
import { idOf, isUsableSlug } from '../../render/slug.ts';
import type { Notice } from '../../shared/notice.ts';
import type { ListedRow } from '../../sync/list.ts';
import { timeOf } from '../../sync/rows.ts';
import type { Facts } from './probe.ts';

/** One line about a service. */
export interface Finding {
  mark: '✓' | '!' | '?';
  text: string;
  /** The options that suit the service, and that the site lacks. */
  set?: ArticlesOptions;
}

/** From here on, builds need less memory with `bodies: 'mirror'`. */
const manyArticles = 2_000;
const shownCollisions = 5;

/** Says what suits a service. It sends no request. */
export async function suggest(facts: Facts): Promise<Finding[]> {
  const { options, rows, count = rows.length, pageLength } = facts;
  const findings = [keyFinding(facts), orderFinding(facts), stabilityFinding(facts)];
  if (pageLength !== undefined) {
    const text = `The service sends at most ${pageLength} rows in a page.`;
    findings.push({ mark: '!', text, set: { pageSize: pageLength } });
  }
  findings.push(...rowsFindings(facts), ...(await slugFindings(facts)));
  if (count >= manyArticles && options.bodies === 'store') {
    const text = `${count} articles need much memory in Astro's content store.`;
    findings.push({ mark: '!', text, set: { bodies: 'mirror' } });
  }
  return findings;
}

function keyFinding({ wrongKey }: Facts): Finding {
  if (wrongKey === 401 || wrongKey === 403)
    return { mark: '✓', text: `A wrong key is refused (${wrongKey}).` };
  if (wrongKey === 200)
    return { mark: '!', text: 'A wrong key is accepted. The service should respond 401 or 403.' };
  return { mark: '?', text: `Whether a wrong key is refused is unknown: ${wrongKey}` };
}

function orderFinding({ rows, options }: Facts): Finding {
  const found = orderOf(rows);
  if (!found) {
    const todo = "If the oldest articles come first, set `order: 'oldest-first'`.";
    return { mark: '?', text: `Neither dates nor ids of the rows show their order. ${todo}` };
  }
  const text = `The rows are ${found.order.replace('-', ' ')}, by ${found.by}.`;
  if (found.order === options.order) return { mark: '✓', text };
  if (options.newest === undefined) return { mark: '!', text, set: { order: found.order } };
  return { mark: '!', text: `${text} \`newest\` needs the newest articles first.` };
}

/** Returns the order of the rows by a date of theirs, or else by ids that are numbers; undefined if they show none. */
function orderOf(rows: readonly ListedRow[]) {
  const names = Object.keys(rows[0]?.extra ?? {}).filter(
    (name) => /publ|date|creat/i.test(name) && !/updat|modif|chang/i.test(name),
  );
  const dates = names.map((name) => ({
    by: `\`${name}\``,
    values: rows.map(({ extra }) => timeOf(extra[name])?.date),
  }));
  const ids = rows.map(({ id }) => (/^\d+$/.test(id) ? BigInt(id) : undefined));
  for (const { by, values } of [...dates, { by: 'ids, if higher ones are newer', values: ids }]) {
    const known = values.filter((value) => value !== undefined);
    if (known.length < rows.length) continue;
    const pairs = known.slice(1).map((value, index) => [known[index] ?? value, value] as const);
    const rises = pairs.filter(([a, b]) => b > a).length;
    const falls = pairs.filter(([a, b]) => b < a).length;
    // A few articles may be pinned.
    if (falls > 9 * rises) return { by, order: 'newest-first' as const };
    if (rises > 9 * falls) return { by, order: 'oldest-first' as const };
  }
  return undefined;
}

function stabilityFinding({ rows, again }: Facts): Finding {
  if (typeof again === 'string')
    return { mark: '?', text: `The listing could not be read a second time: ${again}` };
  if (rows.length < 2) return { mark: '?', text: 'One row shows no order.' };
  if (hasSameOrder(rows, again))
    return { mark: '✓', text: 'Pages of another size have the same order.' };
  const todo = 'The service has to list them in an order that never changes, such as by id.';
  return { mark: '!', text: `Pages of another size have another order. ${todo}` };
}

/** Whether the articles that both readings have are in the same order. One that was added meanwhile makes no difference. */
function hasSameOrder(rows: readonly ListedRow[], again: Facts['again']): boolean {
  const first = new Set(rows.map(({ id }) => id));
  const both = new Set([...again].filter((id) => first.has(id)));
  return isDeepStrictEqual(
    [...first].filter((id) => both.has(id)),
    [...both],
  );
}

/** Says what the rows are, and which of `rows` suits them. */
function rowsFindings({ rows, fetched, options, count = rows.length, again }: Facts): Finding[] {
  const whole = rows.filter(({ digest }) => digest !== undefined).length;
  const articles = fetched.flatMap(({ row, article, isWhole }) =>
    article ? [{ row, article, isWhole }] : [],
  );
  const different = articles.filter(({ isWhole }) => !isWhole).length;
  const names = [...new Set(rows.flatMap(({ extra }) => Object.keys(extra)))].toSorted();
  const fields = `Further fields of the rows: ${names.map((name) => `\`${name}\``).join(', ') || 'none'}.`;
  const suited: Finding['set'] = options.rows === 'whole' ? {} : { rows: 'whole' };
  const findings: Finding[] = [{ mark: '✓', text: fields }];
  const add = (mark: Finding['mark'], text: string, set?: Finding['set']) =>
    findings.unshift({ mark, text, ...(set && { set }) });

  const [failed] = fetched.flatMap(({ problem }) => problem ?? []);
  if (articles.length === 0) {
    const text = `None of ${fetched.length} single articles can be fetched: ${failed}.`;
    if (whole === rows.length) add('!', `${text} The rows have all four fields.`, suited);
    else
      add('!', `${text} A \`fetch\` of your own can change responses (docs/start/translate.md).`);
  } else if (whole === rows.length && different === 0) {
    const isAll = articles.length === fetched.length;
    const text = `Each row is the whole article, as ${articles.length} of ${fetched.length} fetched ones show.`;
    const isStable = typeof again !== 'string' && hasSameOrder(rows, again);
    add(isAll ? '✓' : '!', text, isStable && isAll ? suited : {});
  } else if (whole === rows.length) {
    const text = `${different} of ${articles.length} articles differ from their rows.`;
    add('!', `${text} \`rows: 'whole'\` would show the rows.`);
  } else if (typeof options.rows === 'object') {
    const { changedBy } = options.rows;
    const lacking = rows.filter(({ extra }) => !Object.hasOwn(extra, changedBy)).length;
    const text = `${lacking} of ${rows.length} rows lack \`${changedBy}\``;
    if (lacking > 0) add('!', `${text}, so their articles are requested in every load.`);
    else add('✓', `All rows have \`${changedBy}\`.`);
  } else {
    const changedBy = Object.keys(articles[0]?.article.extra ?? {}).find(
      (name) =>
        /updat|modif|chang|version|revision/i.test(name) &&
        articles.every(
          ({ row, article: { extra } }) =>
            extra[name] && isDeepStrictEqual(extra[name], row.extra[name]),
        ),
    );
    const text = `${rows.length - whole} of ${rows.length} rows are summaries.`;
    const effect = `No field shows changes, so each load requests all ${count} articles.`;
    if (!changedBy) add('!', `${text} ${effect}`);
    else
      add('!', `${text} \`${changedBy}\` suits if it changes with every edit.`, {
        rows: { changedBy },
      });
  }
  return findings;
}

/** Says which slugs several articles have, and which do not contain the id. A `transform` may change them. */
async function slugFindings({ rows, options }: Facts): Promise<Finding[]> {
  const collisions: Notice[] = [];
  const titled = rows.map(({ id, title = '', extra: { slug } }) => ({
    id,
    title,
    ...(typeof slug === 'string' && isUsableSlug(slug) && { ownSlug: slug }),
  }));
  const slugs = [...(await assignSlugs(titled, collisions))];
  const texts = collisions.slice(0, shownCollisions).map(({ text }) => text);
  const more = collisions.length - shownCollisions;
  if (more > 0) texts.push(`${more} more slugs are those of several articles.`);

  const unreadable = slugs.filter(([id, slug]) => idOf(slug) !== id);
  const [[id, slug] = []] = unreadable;
  if (id === undefined || slug === undefined) return texts.map(note);
  const example = `such as ${quote(slug)} of ${quote(id)}`;
  const text = `The id cannot be read from ${unreadable.length} of ${rows.length} slugs, ${example}.`;
  const todo = 'Pages on demand with `newest` need the id as another segment of the path.';
  const mark = options.newest === undefined ? '✓' : '!';
  return [...texts.map(note), { mark, text: `${text} ${todo}` }];
}

function note(text: string): Finding {
  return { mark: '!', text };
}
