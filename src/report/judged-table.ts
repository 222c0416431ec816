import { documentation } from '../errors.ts';
import { joinSome, nameArticles, quote } from '../messages.ts';
import { isUnclearTime } from '../shared/dates.ts';
import { isExpiring } from '../shared/image-url.ts';
import { type Facts, findProvingField, type SeenService } from './facts.ts';
import { schemaToPaste } from './fields.ts';
import { describeLost } from './lost-html.ts';
import { orderByDates, orderByIds } from './order.ts';
import { findStatusFields } from './status-fields.ts';

/** What a load concludes from its facts, in words. */
export interface Conclusion {
  /** A warning in each load. */
  notice?: string;
  /** Said in a first load, and in one with ARTICLES_DEBUG. */
  advice?: string;
}

/** With the texts of 10,000 usual articles in Astro's store, a build takes 4 GB of memory. About 22,000 fail. */
const tooManyTexts = 10_000;

/** What a load concludes from its facts, in the order of its lines. */
export const judgedTable = {
  'front-matter': ({ versions }) =>
    [...versions.values()].flatMap((version) => {
      const { id, renderings } = version.article;
      const { brokenFrontMatter: reason } = 'leftOut' in version ? version : (renderings[0] ?? {});
      if (!reason) return [];
      return {
        notice: `The front matter of ${nameArticles([id])} is not shown and has no fields, because of ${reason}. Correct it in the service.`,
      };
    }),

  'expiring-urls'({ rendered, options: { images } }) {
    const expiring = rendered.filter(
      ({ article, transformed }) =>
        article.renderings[0]?.hasExpiringUrls ||
        (images.covers === 'remote' && isExpiring(transformed.cover ?? '')),
    );
    if (expiring.length === 0) return undefined;
    const text =
      `Texts or covers of ${nameArticles(idsOf(expiring))} have signed URLs, which expire after the build. Set ` +
      "`images: { covers: 'local', body: 'local' }`; URLs of videos and files must not expire.";
    return { notice: text };
  },

  dropped({ rendered, options: { sanitize }, isVerbose }) {
    const lost = describeLost(rendered, isVerbose);
    if (lost === '') return undefined;
    const remedy =
      sanitize === 'strict'
        ? ''
        : ` What \`sanitize\` can keep: ${documentation}/security.md#allow-more.`;
    return { notice: `HTML that is not allowed was removed: ${lost}.${remedy}` };
  },

  'like-html'({ rendered }) {
    const alike = rendered.filter(({ likeHtml }) => likeHtml);
    if (alike.length <= rendered.filter(({ text }) => text).length / 2) return undefined;
    const text = `The content of ${nameArticles(idsOf(alike))} looks like HTML, and is rendered as Markdown. Set \`format: 'html'\`.`;
    return { notice: text };
  },

  'many-texts'({ rendered: { length }, options: { bodies } }) {
    if (bodies !== 'store' || length < tooManyTexts) return undefined;
    const text =
      `With the texts of ${length} articles in Astro's content store, a build takes more than 4 GB of memory. Set ` +
      "`bodies: 'mirror'`, and render entries with `<ArticleBody>`.";
    return { notice: text };
  },

  status: ({ service }) =>
    findStatusFields([...(service?.fields.values() ?? [])])
      .filter(({ name }) => !service?.taken.has(name))
      .map((field) => ({
        advice:
          `The field \`${field.name}\` is ${field.values}, and no article is left out because of it. If it marks ` +
          `drafts, keep them off the site with \`transform\`: ${documentation}/guides/drafts-and-preview.md#leave-out-drafts.`,
      })),

  order({ rows, options, service }) {
    const certain = orderByDates(rows.map(({ extra }) => extra));
    const found = certain ?? (service && likelyOrder(rows, service));
    if (!found || found.order === options.order) return undefined;
    const remedy =
      options.newest === undefined
        ? `Set \`order: '${found.order}'\`.`
        : '`newest` needs the newest articles first: sort the listing with `query`.';
    const text =
      `The listing is ${found.order.replace('-', ' ')}, by ${found.by}, and \`order\` is '${options.order}', so the site shows its ` +
      `articles in the opposite order. ${remedy}`;
    return certain ? { notice: text } : { advice: text };
  },

  'whole-rows'({ service, listed, partial, options }) {
    if (!service || options.rows === 'whole' || listed.length === 0 || partial.length > 0)
      return undefined;
    const text =
      "Each row is the whole article. Set `rows: 'whole'`, which saves the request for each new or changed one: " +
      `${listed.length} in a first load.`;
    return { advice: text };
  },

  'changed-by'({ service, listed, partial, options, rows, changedBy }) {
    if (changedBy !== undefined) {
      const isContradicted =
        rows.some(({ record }) => !record) &&
        rows.every(({ extra }) => !Object.hasOwn(extra, changedBy));
      if (!isContradicted) return undefined;
      const text =
        `No row has the field ${quote(changedBy)} that \`rows.changedBy\` names, so each load requests all articles. ` +
        `Further fields of the rows: ${joinNames(rows)}.`;
      return { notice: text };
    }
    if (!service || options.rows === 'whole' || partial.length === 0) return undefined;
    const field = findProvingField(partial, service);
    const remedy =
      field === undefined
        ? 'A field that changes with every edit, such as `updated_at`, saves that with `rows: { changedBy }`.'
        : `If \`${field}\` changes with every edit, set \`rows: { changedBy: '${field}' }\`.`;
    const text = `Rows are not whole articles, so each load requests ${partial.length} of ${listed.length} articles. ${remedy}`;
    return { advice: text };
  },

  'changed-by-unclear'({ rows, changedBy }) {
    if (changedBy === undefined) return undefined;
    const unclear = rows.filter(({ record, extra }) => !record && isUnclearTime(extra[changedBy]));
    if (unclear.length === 0) return undefined;
    const text =
      `The field ${quote(changedBy)} that \`rows.changedBy\` names may be a time that is not ISO 8601, so each load requests ` +
      `${nameArticles(unclear.map(({ id }) => id))}. Send a time such as "2026-03-02T12:00:00Z", or translate the field in \`fetch\`.`;
    return { notice: text };
  },

  fields({ service }) {
    const text = service && schemaToPaste(service);
    return text ? { advice: text } : undefined;
  },
} satisfies Record<string, (facts: Facts) => Conclusion | readonly Conclusion[] | undefined>;

function idsOf(versions: Facts['rendered']): string[] {
  return versions.map(({ article }) => article.id);
}

/** Names the fields of rows that the contract does not name. */
function joinNames(rows: Facts['rows']): string {
  const names = new Set(rows.flatMap(({ extra }) => Object.keys(extra)));
  return joinSome([...names].map(quote), 12) || 'none';
}

/** Returns the order that dates of articles show, which their rows may lack, or else their ids. */
function likelyOrder(rows: Facts['rows'], { fields }: SeenService) {
  const articles = rows.map(({ id }) => fields.get(id)).filter((each) => each !== undefined);
  return orderByDates(articles) ?? orderByIds(rows.map(({ id }) => id));
}
