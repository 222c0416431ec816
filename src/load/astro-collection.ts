/** What a load needs of Astro: the collection before the load, and its schema. */
export interface AstroCollection {
  /** The folder in which the entries would be Markdown files, relative to the root of the site, with `/`. */
  folder: string;
  /** The path from that folder to the images of the mirror, with `/`. */
  imageFolder: string;
  /** Whether `astro dev` loads it. */
  isDev: boolean;
  /** Whether the stored entries were parsed with the schema as it is now. */
  isSameSchema: boolean;
  /** Returns the stored entry with an id. */
  stored(id: string): StoredEntry | undefined;
  /** Returns all stored entries, entries of other loaders included. */
  all(): readonly StoredEntry[];
  /**
   * Parses the data of an entry with the schema.
   *
   * @throws {ArticlesInvalidError} when the schema refuses it
   * @throws {ArticlesOptionsError} when no page could show an article with this schema
   */
  parse(unparsed: UnparsedEntry): Promise<Record<string, unknown>>;
}

/** An entry of Astro's store. */
export interface StoredEntry {
  id: string;
  data: Record<string, unknown>;
  filePath?: string | undefined;
  digest?: string | number | undefined;
}

/** The data of an entry before the schema. */
export interface UnparsedEntry {
  id: string;
  articleId: string;
  data: Record<string, unknown> & { cover_image: string | null };
  /** The fields of the service, for messages. */
  extra: Record<string, unknown>;
}
