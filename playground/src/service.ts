/** The path of the service's API. */
export const apiPath = '/api/integrations/project/articles/';

/** Whether a browser can open that path on this site: the dev and preview servers pass it on to the fixture service. */
export const isOpen = !process.env.ARTICLES_BASE_URL;
