import { joinSome, nameArticles, quote } from '../messages.ts';
import { isUnclearTime } from '../shared/dates.ts';
import { isExpiring } from '../shared/image-url.ts';
import { type Facts, findProvingField, isEqualIn } from './facts.ts';
import { furtherFields, schemaToPaste } from './fields.ts';
import { collectLost, describeLost } from './lost-html.ts';
import { describeValues, findStatusFields } from './status-fields.ts';

const docs = 'node_modules/astro-articles/docs';

/** A notice is a warning in each load. Advice is for a first load, and one with ARTICLES_DEBUG. */
export type Level = 'notice' | 'advice';

interface Judgement<D> {
  ids?: readonly string[];
  data: D;
}

/** A row of what a load concludes from its facts. */
interface JudgedRow<D> {
  when(facts: Facts): readonly Judgement<D>[];
  level: Level | ((data: D) => Level);
  words(data: D, ids: readonly string[]): string;
}

/** Lets each row have data of its own. */
function row<D>({ when, level, words }: JudgedRow<D>) {
  return (facts: Facts) =>
    when(facts).map(({ data, ids = [] }) => ({
      level: typeof level === 'string' ? level : level(data),
      text: words(data, ids),
    }));
}

/** A rendering that takes more seconds of processor time is reported. On a busy machine, a clock would report others, too. */
const slowRendering = 2;
/** With the texts of 10,000 usual articles in Astro's store, a build takes 4 GB of memory. About 22,000 fail. */
const tooManyTexts = 10_000;

/** What a load concludes from its facts, in the order of its lines. */
export const judgedTable = {
  'slow-article': row({
    when: ({ rendered }) =>
      rendered.flatMap(({ article: { id }, seconds = 0 }) =>
        seconds > slowRendering ? { ids: [id], data: seconds } : [],
      ),
    level: 'notice',
    words: (seconds, ids) =>
      `Rendering ${nameArticles(ids)} took ${seconds.toFixed(1)} s of processor time. Divide its longest paragraphs with ` +
      'blank lines, or divide the article.',
  }),
  'front-matter': row({
    when: ({ versions }) =>
      [...versions].flatMap(([id, version]) => {
        const [rendering] = version.article.renderings;
        const { brokenFrontMatter: data } = 'leftOut' in version ? version : (rendering ?? {});
        return data ? { ids: [id], data } : [];
      }),
    level: 'notice',
    words: (reason, ids) =>
      `The front matter of ${nameArticles(ids)} is not shown and has no fields, because of ${reason}. Correct it in the service.`,
  }),
  'expiring-urls': row({
    when: ({ rendered, options: { images } }) =>
      aboutAll(
        rendered.filter(
          ({ article, transformed }) =>
            article.renderings[0]?.hasExpiringUrls ||
            (images.covers === 'remote' && isExpiring(transformed.cover ?? '')),
        ),
      ),
    level: 'notice',
    words: (_, ids) =>
      `Texts or covers of ${nameArticles(ids)} have signed URLs, which expire after the build. Set ` +
      "`images: { covers: 'local', body: 'local' }`; URLs of videos and files must not expire.",
  }),
  dropped: row({
    when: ({ rendered, options: { sanitize }, isVerbose }) => {
      const lost = collectLost(rendered);
      return lost.length > 0 ? [{ data: { lost, sanitize, isVerbose } }] : [];
    },
    level: 'notice',
    words: ({ lost, sanitize, isVerbose }) => {
      const remedy =
        sanitize === 'strict' ? '' : ` What \`sanitize\` can keep: ${docs}/security.md#allow-more.`;
      return `HTML that is not allowed was removed: ${describeLost(lost, isVerbose)}.${remedy}`;
    },
  }),
  'like-html': row({
    when: ({ rendered }) => {
      const alike = rendered.filter(({ likeHtml }) => likeHtml);
      const isMost = alike.length > rendered.filter(({ text }) => text).length / 2;
      return isMost ? aboutAll(alike) : [];
    },
    level: 'notice',
    words: (_, ids) =>
      `The content of ${nameArticles(ids)} looks like HTML, and is rendered as Markdown. Set \`format: 'html'\`.`,
  }),
  'many-texts': row({
    when: ({ rendered: { length }, options: { bodies } }) =>
      bodies === 'store' && length >= tooManyTexts ? [{ data: length }] : [],
    level: 'notice',
    words: (count) =>
      `With the texts of ${count} articles in Astro's content store, a build takes more than 4 GB of memory. Set ` +
      "`bodies: 'mirror'`, and render entries with `<ArticleBody>`.",
  }),
  status: row({
    when: ({ service }) =>
      findStatusFields([...(service?.fields.values() ?? [])]).flatMap((data) =>
        service?.taken.has(data.name) ? [] : { data },
      ),
    level: 'advice',
    words: (field) =>
      `The field \`${field.name}\` is ${describeValues(field)}, and no article is left out because of it. If it marks ` +
      `drafts, keep them off the site with \`transform\`: ${docs}/guides/drafts-and-preview.md#leave-out-drafts.`,
  }),
  order: row({
    when: ({ order, options }) =>
      order && order.order !== options.order ? [{ data: { ...order, options } }] : [],
    level: ({ isCertain }) => (isCertain ? 'notice' : 'advice'),
    words: ({ order, by, options }) => {
      const remedy =
        options.newest === undefined
          ? `Set \`order: '${order}'\`.`
          : '`newest` needs the newest articles first: sort the listing with `query`.';
      return (
        `The listing is ${order.replace('-', ' ')}, by ${by}, and \`order\` is '${options.order}', so the site shows its ` +
        `articles in the opposite order. ${remedy}`
      );
    },
  }),
  'whole-rows': row({
    when: ({ service, options }) =>
      service && service.listed > 0 && service.requested === 0 && options.rows !== 'whole'
        ? [{ data: service.listed }]
        : [],
    level: 'advice',
    words: (listed) =>
      "Each row is the whole article. Set `rows: 'whole'`, which saves the request for each new or changed one: " +
      `${listed} in a first load.`,
  }),
  'changed-by': row({
    when({ service, changedBy, isChangedByListed, rows }) {
      if (isChangedByListed) return [];
      const isContradicted = changedBy !== undefined && rows.some(({ record }) => !record);
      if (!isContradicted && !service?.requested) return [];
      const field = service && findProvingField(service.compared);
      return [{ data: { ...service, rows, field, changedBy } }];
    },
    level: ({ changedBy }) => (changedBy === undefined ? 'advice' : 'notice'),
    words({ changedBy, rows, field, requested, listed }) {
      const problem =
        changedBy === undefined
          ? `Rows are not whole articles, so each load requests ${requested} of ${listed} articles.`
          : `No row has the field ${quote(changedBy)} that \`rows.changedBy\` names, so each load requests all articles. ` +
            `The rows have ${joinNames(rows)}.`;
      if (field === undefined && changedBy !== undefined) return problem;
      return field === undefined
        ? `${problem} A field that changes with every edit, such as \`updated_at\`, saves that with \`rows: { changedBy }\`.`
        : `${problem} If \`${field}\` changes with every edit, set \`rows: { changedBy: '${field}' }\`.`;
    },
  }),
  'changed-by-unclear': row({
    when({ rows, changedBy }) {
      if (changedBy === undefined) return [];
      const isUnclear = ({ record, extra }: Facts['rows'][number]) =>
        record === undefined && isUnclearTime(extra[changedBy]);
      const ids = rows.flatMap((each) => (isUnclear(each) ? each.id : []));
      return ids.length > 0 ? [{ ids, data: changedBy }] : [];
    },
    level: 'notice',
    words: (field, ids) =>
      `The field ${quote(field)} that \`rows.changedBy\` names may be a time that is not ISO 8601, so each load requests ` +
      `${nameArticles(ids)}. Send a time such as "2026-03-02T12:00:00Z", or translate the field in \`fetch\`.`,
  }),
  'changed-by-differs': row({
    when({ service, changedBy, isChangedByListed }) {
      if (!service?.requested || changedBy === undefined || !isChangedByListed) return [];
      const { compared } = service;
      const unproven = compared.filter((pair) => !isEqualIn(pair, changedBy)).length;
      return unproven > 0 ? [{ data: { unproven, all: compared.length, changedBy } }] : [];
    },
    level: 'advice',
    words: ({ unproven, all, changedBy }) =>
      `${unproven} of ${all} compared articles lack the field ${quote(changedBy)} of \`rows.changedBy\`, or have another value than ` +
      'their row, so each load requests them.',
  }),
  fields: row({
    when: ({ service }) => {
      const fields = service ? furtherFields(service) : [];
      return service && fields.length > 0 ? [{ data: { fields, service } }] : [];
    },
    level: 'advice',
    words: ({ fields, service }) => schemaToPaste(fields, service),
  }),
} satisfies Record<string, (facts: Facts) => unknown>;

/** Returns a judgement about all of some articles; none without articles. */
function aboutAll(versions: readonly Facts['rendered'][number][]): Judgement<undefined>[] {
  const ids = versions.map(({ article }) => article.id);
  return ids.length > 0 ? [{ ids, data: undefined }] : [];
}

const maxNames = 12;

/** Names the fields that rows have. */
function joinNames(rows: Facts['rows']): string {
  const extra = new Set(rows.flatMap((each) => Object.keys(each.extra)));
  const title = rows.some((each) => each.title !== undefined) ? ['title'] : [];
  return joinSome(['id', ...title, ...[...extra].toSorted()].map(quote), maxNames);
}
