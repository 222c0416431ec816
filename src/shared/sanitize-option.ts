/** The object form of the option `sanitize`: what articles may contain in addition to the default policy. */
export interface AllowList {
  /** Elements to allow, by tag name. Elements that run script, embed a page or act outside of the article are refused. */
  tags?: readonly string[] | undefined;
  /**
   * Attributes to allow, by tag name or `*`. Attributes that run script, by themselves or by a script library, or
   * act outside of the article are refused. A `style` is filtered.
   */
  attributes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Hosts whose pages may be embedded with an `<iframe>`. */
  iframes?: readonly string[] | undefined;
}

/** The option `sanitize`: `true` is the default policy, and `false` allows everything. */
export type SanitizeOption = boolean | 'strict' | AllowList;
