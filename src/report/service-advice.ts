import type { FurtherField } from './fields.ts';
import { describeOrder } from './order.ts';
import { collectFacts, type SeenService, type ServiceFacts } from './service-facts.ts';
import { describeValues, type StatusField, transformFor } from './status-fields.ts';

/** What suits a service, by what a load has seen of it. */
interface Advice {
  when(facts: ServiceFacts): boolean;
  /** The option to set, as code; or else what the service could do. */
  option(facts: ServiceFacts): string;
  /** What it saves or corrects, in one or more sentences without the last full stop. */
  saves(facts: ServiceFacts): string;
}

const changedBy = ({ provingField }: ServiceFacts) => `\`rows: { changedBy: '${provingField}' }\``;
const sizeOfTexts = ({ textLength }: ServiceFacts) =>
  `${Math.round(textLength / 1_000_000)} MB of texts`;
const requestsOf = ({ areSummaries, requested, listed }: ServiceFacts) =>
  `${areSummaries ? 'rows are summaries' : 'rows differ from their articles'}, so each load requests ${requested} of ` +
  `${listed} articles`;

const adviceOnListing: readonly Advice[] = [
  {
    when: ({ order, options }) => order !== undefined && order.order !== options.order,
    option: ({ order }) => `\`order: '${order?.order}'\``,
    saves: ({ order }) => `the listing is ${order && describeOrder(order)}`,
  },
  {
    when: ({ rows, options, isLong }) =>
      rows === 'whole' && (options.rows === 'compare' || (options.rows !== 'whole' && !isLong)),
    option: () => "`rows: 'whole'`",
    saves: ({ listed }) =>
      `each row is the whole article. It saves the request for each new or changed one: ${listed} in a first load`,
  },
  {
    when: ({ rows, options, isLong, provingField }) =>
      rows === 'whole' && options.rows === 'compare' && isLong && provingField !== undefined,
    option: (facts) => `Or ${changedBy(facts)} with a \`query\` for such rows`,
    saves: (facts) =>
      `if the service can list fewer fields, it saves ${sizeOfTexts(facts)} in each later load`,
  },
  {
    when: ({ rows, options, isLong, provingField, haveFewChanged }) =>
      rows === 'whole' &&
      options.rows === 'whole' &&
      isLong &&
      provingField !== undefined &&
      haveFewChanged,
    option: (facts) => `${changedBy(facts)} with a \`query\` for such rows`,
    saves: (facts) =>
      `if the service can list fewer fields, it saves ${sizeOfTexts(facts)} in a load like this one, in which ` +
      `${facts.changed} of ${facts.listed} articles have changed`,
  },
  {
    when: ({ rows, options, isLong }) =>
      rows === 'whole' && typeof options.rows === 'object' && isLong,
    option: () => '`query`',
    saves: (facts) =>
      `each load transfers ${sizeOfTexts(facts)} in rows, of which \`rows.changedBy\` needs only \`id\` and ` +
      `\`${facts.changedBy}\`, if the service can list fewer fields`,
  },
  {
    when: ({ rows, isChangedByListed, provingField }) =>
      rows === 'partial' && !isChangedByListed && provingField !== undefined,
    option: changedBy,
    saves: (facts) =>
      `${requestsOf(facts)}. If \`${facts.provingField}\` changes with every edit, only changed ones are requested`,
  },
  {
    when: ({ rows, isChangedByListed, provingField }) =>
      rows === 'partial' && !isChangedByListed && provingField === undefined,
    option: () => 'A field of rows and articles that changes with every edit, such as `updated_at`',
    saves: (facts) => `${requestsOf(facts)}. With \`rows: { changedBy }\`, the field saves that`,
  },
  {
    when: ({ rows, isChangedByListed, unproven }) =>
      rows === 'partial' && isChangedByListed && unproven > 0,
    option: () => '`rows.changedBy`',
    saves: ({ unproven, compared }) =>
      `${unproven} of ${compared} compared articles lack the field, or have another value than their row, so each load ` +
      'requests them',
  },
  {
    when: ({ isLarge, options }) => isLarge && options.bodies !== 'mirror',
    option: () => "`bodies: 'mirror'`",
    saves: ({ articles }) =>
      `${articles} articles need much memory in Astro's content store. Pages then draw texts with \`<ArticleBody>\``,
  },
];

/** Returns which options and fields suit a service and are not set yet, as a text to print; empty for none. */
export function adviceOnService(seen: SeenService): string {
  const facts = collectFacts(seen);
  const lines = [
    ...facts.statusFields.map(adviceOnStatus),
    ...adviceOnListing
      .filter(({ when }) => when(facts))
      .map(({ option, saves }) => `- ${option(facts)}: ${saves(facts)}.`),
  ];
  const title = 'What suits this service, with options for articles() in astro.config:';
  return [...(lines.length > 0 ? [title, ...lines] : []), ...schemaLines(facts)].join('\n');
}

/** Names a field that may mark drafts, because articles that nothing leaves out are public after a build. */
function adviceOnStatus(field: StatusField): string {
  return (
    `- \`${transformFor(field)}\`: the field \`${field.name}\` is ${describeValues(field)}, and no article is left out ` +
    'because of it. If it marks drafts, this keeps them off the site.'
  );
}

const maxFields = 50;

/** Returns a schema with the fields that the schema of the site does not take yet. */
function schemaLines({ furtherFields, shown }: ServiceFacts): string[] {
  if (furtherFields.length === 0) return [];
  const describe = ({ code, kinds, count }: FurtherField) =>
    `      ${code}, // ${kinds}, in ${count} of ${shown} articles`;
  const more = furtherFields.length - maxFields;
  return [
    'Further fields, which pages can use with a schema next to `loader` (`z` is of astro/zod, `articleSchema` of astro-articles):',
    '  schema: (context) =>',
    '    articleSchema(context).extend({',
    ...furtherFields.slice(0, maxFields).map(describe),
    ...(more > 0 ? [`      // … and ${more} more`] : []),
    '    }),',
  ];
}
