/**
 * Is used instead of Netlify's plugin for Vite, which would add 480 packages and changes nothing in `astro build`:
 * it emulates Netlify in `astro dev`. With a version that the adapter does not accept, npm installs the other one.
 */
export default () => [];
