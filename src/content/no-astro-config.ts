// Outside of Vite, where no module has the settings of astro.config.

export const base = undefined;
export const build = undefined;
export const trailingSlash = undefined;
