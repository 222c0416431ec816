import { joinSome, linesOf, nameArticles, quote } from '../messages.ts';
import type { FindingData, Pictures } from '../shared/finding.ts';

/** What a finding is about. */
interface Subject {
  ids: readonly string[];
  urls: readonly string[];
}

/** The words for what a load has seen. All of these are notices. */
export const seenTable: {
  readonly [C in keyof FindingData]: (data: FindingData[C], subject: Subject) => string;
} = {
  'cover-unreadable': ({ got }, { ids }) =>
    `\`cover_image\` of ${nameArticles(ids)} is ${got} and not a URL, so no cover is shown. Correct it in the service, or in \`fetch\`.`,
  image: ({ reason, remedy, kept, ...pictures }, subject) => {
    const effect = kept ? 'The last good file is used.' : effectOn(pictures);
    return `${namePictures(pictures, subject)}: ${reason}. ${effect} ${remedy}`.trim();
  },
  kept: ({ why }, { ids }) =>
    `The listing lacks ${nameArticles(ids)}, which the site keeps, because the listing is unreliable: ${why}.`,
  'listing-unreliable': ({ reason, announced, listed }, { ids }) => {
    const repeated =
      ids.length > 0
        ? ` (${nameArticles(ids)}; if these are translations, load each language as a collection of its own)`
        : '';
    const counts = announced === undefined ? '' : ` (${announced} announced, ${listed} listed)`;
    return (
      `The listing is unreliable, because ${reason}${repeated}: articles may be missing${counts}. ` +
      'The service should count only what it lists, and list it in an order that never changes, such as by id.'
    );
  },
  mirror: ({ text }) => text,
  'old-sharp': ({ sharp, ...pictures }, subject) =>
    `${namePictures(pictures, subject)}: Astro would decode it with sharp ${sharp}, in which decoding AVIF and GIF has ` +
    `known security holes. ${effectOn(pictures)} Add \`"overrides": { "sharp": "^0.35.5" }\` to package.json (with pnpm, ` +
    '`overrides: { sharp: ^0.35.5 }` to pnpm-workspace.yaml), write this version in `dependencies` if sharp is one of them, ' +
    'and install again.',
  outage: ({ source, message, hint }) =>
    `${source ? `Using ${source}` : 'No article was loaded'}, because the load from the service failed: ${linesOf(`${message}\n${hint}`).join(' ')}`,
  'slug-taken': ({ wanted, slug }, { ids: [owner = '', id = ''] }) =>
    `The articles ${quote(owner)} and ${quote(id)} both have the slug ${quote(wanted)}, so the page of ${quote(id)} has ` +
    `the slug ${quote(slug)}. Give one of them another slug in the service.`,
  'slug-unusable': ({ wanted, slug }, { ids }) =>
    `The service's slugs of ${nameArticles(ids)} cannot be those of pages, such as ${quote(wanted)}, whose page has the slug ${quote(slug)}. ` +
    'Change them in the service, or remove `slug` in `transform`.',
};

function namePictures({ isCover, host }: Pictures, { ids, urls }: Subject): string {
  const [url] = urls;
  const kind = isCover ? 'Cover' : 'Image';
  const names =
    urls.length === 1
      ? `${kind} ${url}`
      : `${urls.length} ${kind.toLowerCase()}s of ${quote(host ?? '')} (${joinSome(urls, 3)})`;
  return `${names} of ${nameArticles(ids)}`;
}

function effectOn({ isCover }: Pictures): string {
  return isCover ? 'No cover is shown.' : 'The remote image is used.';
}
