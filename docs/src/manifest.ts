import manifest from '../../package.json' with { type: 'json' };

/** The URL of this site. */
export const homepage = new URL(manifest.homepage);

/** The URL of the repository, without a slash at its end. */
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
