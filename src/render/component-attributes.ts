import type { Element } from './parse-html.ts';

/** Names without a colon: Astro would interpret `client:load`, `server:defer` or `class:list`. */
const plainName = /^[a-z][\w.-]*$/;
/** The boolean attributes of HTML. */
const boolean = new Set(
  (
    'allowfullscreen async autofocus autoplay checked controls default defer disabled ' +
    'disablepictureinpicture disableremoteplayback formnovalidate inert ismap itemscope loop multiple ' +
    'muted nomodule novalidate open playsinline readonly required reversed selected'
  ).split(' '),
);

/**
 * Returns the attributes of an element as properties of a component: strings, by their names in HTML. A boolean
 * attribute has its name as its value, because components leave out a boolean attribute with an empty value.
 */
export function attributesOf({ attrs }: Element): Record<string, string> {
  const plain = attrs.filter(({ name }) => plainName.test(name));
  return Object.fromEntries(
    plain.map(({ name, value }) => [name, value === '' && boolean.has(name) ? name : value]),
  );
}
