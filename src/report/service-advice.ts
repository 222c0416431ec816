import { type FurtherField, findFields } from './fields.ts';
import { describeOrder } from './order.ts';
import { collectFacts, type ListingFacts, type SeenService } from './service-facts.ts';
import {
  describeValues,
  findStatusFields,
  type StatusField,
  transformFor,
} from './status-fields.ts';

/** What suits a service, by what a load has seen of it. */
interface Advice {
  when(facts: ListingFacts): boolean;
  /** The option to set, as code; or else what the service could do. */
  option(facts: ListingFacts): string;
  /** What it saves or corrects, in one or more sentences without the last full stop. */
  saves(facts: ListingFacts): string;
}

const changedByOf = ({ provingField }: ListingFacts) =>
  `\`rows: { changedBy: '${provingField}' }\``;
const requestsOf = ({ requested, listed }: ListingFacts) =>
  `rows are not whole articles, so each load requests ${requested} of ${listed} articles`;

const adviceOnListing: readonly Advice[] = [
  {
    when: ({ order, options }) => order !== undefined && order.order !== options.order,
    option: ({ order }) => `\`order: '${order?.order}'\``,
    saves: ({ order }) => `the listing is ${order && describeOrder(order)}`,
  },
  {
    when: ({ listed, requested, options }) =>
      listed > 0 && requested === 0 && options.rows !== 'whole',
    option: () => "`rows: 'whole'`",
    saves: ({ listed }) =>
      `each row is the whole article. It saves the request for each new or changed one: ${listed} in a first load`,
  },
  {
    when: ({ requested, changedBy, provingField }) =>
      requested > 0 && changedBy === undefined && provingField !== undefined,
    option: changedByOf,
    saves: (facts) =>
      `${requestsOf(facts)}. If \`${facts.provingField}\` changes with every edit, only changed ones are requested`,
  },
  {
    when: ({ requested, provingField }) => requested > 0 && provingField === undefined,
    option: () => 'A field of rows and articles that changes with every edit, such as `updated_at`',
    saves: (facts) => `${requestsOf(facts)}. With \`rows: { changedBy }\`, the field saves that`,
  },
  {
    when: ({ requested, unproven }) => requested > 0 && unproven > 0,
    option: () => '`rows.changedBy`',
    saves: ({ unproven, compared }) =>
      `${unproven} of ${compared} compared articles lack the field, or have another value than their row, so each load ` +
      'requests them',
  },
];

/** Returns which options and fields suit a service and are not set yet, as a text to print; empty for none. */
export function adviceOnService(seen: SeenService): string {
  const facts = collectFacts(seen);
  const statusFields = findStatusFields([...seen.fields.values()]);
  const lines = [
    ...statusFields.filter(({ name }) => !seen.taken.has(name)).map(adviceOnStatus),
    ...adviceOnListing
      .filter(({ when }) => when(facts))
      .map(({ option, saves }) => `- ${option(facts)}: ${saves(facts)}.`),
  ];
  const title = 'What suits this service, with options for articles() in astro.config:';
  return [...(lines.length > 0 ? [title, ...lines] : []), ...schemaLines(seen)].join('\n');
}

/** Names a field that may mark drafts, because articles that nothing leaves out are public after a build. */
function adviceOnStatus(field: StatusField): string {
  return (
    `- \`${transformFor(field)}\`: the field \`${field.name}\` is ${describeValues(field)}, and no article is left out ` +
    'because of it. If it marks drafts, this keeps them off the site.'
  );
}

const maxFields = 50;
/** In characters. The site shows no field with a longer name. */
const maxNameLength = 100;

/** Returns a schema with the fields that the schema of the site does not take yet, or, next to other entries, the fields. */
function schemaLines({ fields, taken, articles, hasOtherEntries }: SeenService): string[] {
  // Pages have the cover as `cover_image`.
  const repeatsCover = (name: string) =>
    Array.from(fields).every(
      ([id, { [name]: value = null }]) => value === null || value === articles.get(id)?.cover,
    );
  const furtherFields = findFields([...fields.values()], hasOtherEntries).filter(
    ({ name }) => !taken.has(name) && name.length <= maxNameLength && !repeatsCover(name),
  );
  if (furtherFields.length === 0) return [];
  const describe = ({ code, count }: FurtherField) =>
    `      ${code}, // in ${count} of ${fields.size} articles`;
  const more = furtherFields.length - maxFields;
  const lines = [
    ...furtherFields.slice(0, maxFields).map(describe),
    ...(more > 0 ? [`      // … and ${more} more`] : []),
  ];
  if (hasOtherEntries) {
    const title =
      'Further fields, which pages can use (`z` is of astro/zod). Add them to the schema of the collection. The entries of the ' +
      'other loader do not have them:';
    return [title, ...lines];
  }
  return [
    'Further fields, which pages can use with a schema next to `loader` (`z` is of astro/zod, `articleSchema` of astro-articles):',
    '  schema: (context) =>',
    '    articleSchema(context).extend({',
    ...lines,
    '    }),',
  ];
}
