import * as z from 'zod/mini';
import { checkOptions } from '../shared/check-options.ts';

// Components of some frameworks are objects.
const component = z.custom(
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
  'expected a component, which is the default export of its file',
);
const host = z.string().check(z.refine((name) => URL.parse(`https://${name}`)?.host === name));
const byHost = "expected components by the host of the links, such as 'youtube.com'";

const schema = z.object({
  article: z.custom((value) => Object(value) === value, 'expected an entry'),
  components: z.optional(z.record(z.string(), component)),
  embeds: z.optional(z.record(host, component, byHost)),
});

/**
 * Checks the properties of `<ArticleBody>`, because a page need not have types.
 *
 * @throws {ArticlesOptionsError} `invalid-options`
 */
export function checkBody(properties: object): void {
  checkOptions(schema, properties, '<ArticleBody>');
}
