/** An Astro component. */
export type BodyComponent = (...parameters: never[]) => unknown;

/** Components by the tag name of the elements that they render. */
export type BodyComponents = {
  readonly [tag in Exclude<keyof HTMLElementTagNameMap, 'template'> | `${string}-${string}`]?:
    | BodyComponent
    | undefined;
};

/** Components by the host of the links that they take the place of. */
export type EmbedComponents = {
  readonly [host in `${string}.${string}`]?: BodyComponent | undefined;
};

/** A component as it is rendered: with the attributes of an element, of any name. */
export type DrawnComponent = (props: Record<string, unknown>) => unknown;
