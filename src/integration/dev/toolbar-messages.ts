/** The names of the messages between the dev server and its toolbar app. */
export const messages = {
  /** From the app: requests the state. */
  request: 'astro-articles:request',
  /** From the app: loads the articles again. */
  refresh: 'astro-articles:refresh',
  /** To the app, whenever it changes: a `ToolbarState`. */
  state: 'astro-articles:state',
} as const;

export interface ToolbarState {
  /** The label of the button while a load runs. */
  progress?: string | undefined;
  error?: string | undefined;
  collections: {
    name: string;
    /** When the last load ended, in milliseconds since 1970. */
    at: number;
    /** The summary of its changes; absent when it failed. */
    summary?: string | undefined;
    warnings: string[];
  }[];
}
