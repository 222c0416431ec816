// For the plain compiler; `astro check` reads the components themselves.
declare module '*.astro' {
  const component: import('astro/runtime/server/index.js').AstroComponentFactory;
  export default component;
}
