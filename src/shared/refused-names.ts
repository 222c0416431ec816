const alternatives = (list: string): string => list.trim().split(/\s+/).join('|');

// Each of these can run script, load code, embed a page or act outside of its element (the end tag of a form leaves the
// element around it), however its attributes are sanitized, or parsers differ about it.
const tags = alternatives(`
  script style link meta base template portal fencedframe slot iframe frame frameset object embed applet param
  animate animatemotion animatetransform discard set handler foreignobject use annotation-xml mglyph malignmark
  noscript noembed noframes xmp plaintext title textarea listing select selectedcontent webview permission geolocation
  install form dialog astro-.* turbo-.* amp-.*
`);

// Attributes by which browsers run or load something, show it over the page or move the focus, and by which Alpine, Angular, Astro, htmx, hyperscript,
// Livewire, Qwik, UIkit, Unpoly and Vue do. Names with other signs, as `@click` or `_`, are refused by their form.
const attributes = alternatives(`
  on.* srcdoc http-equiv shadowroot.* formaction ping is script autofocus command.* interest.* popover.*
  bind-.* client-.* hx-.* ic-.* ng-.* q-.* sse-.* uk-.* up-.* v-.* wire-.* ws-.* x-.*
`);

// `data-` attributes that script libraries and routers read, themselves or with a suffix: Astro, Turbo, Stimulus,
// Datastar, htmx, Alpine, Vue, Angular, Bootstrap, Rails, Unpoly, Livewire, Swup, Barba, Knockout, jQuery plugins.
const data = alternatives(`
  ajax action adapter animate astro attr barba bind bs callback class component computed confirm content controller
  custom disable dismiss effect ember fancybox hk html hx hydrate ic indicator init instant intersects
  json jsonp lightbox link livewire main match method ng no on original params parent persist preserve props
  query react reactroot ref remote replace require role rocket script scroll server show signals sse spy
  style swup template text tippy toggle trigger turbo turbolinks uk unsafe up url val view wire ws
`);
/** Suffixes of Stimulus, whose prefix is the name of a controller. */
const suffixes = alternatives('class outlet param target value');

const refusedTag = new RegExp(`^(?:${tags})$`, 'i');
const refusedAttribute = new RegExp(
  `^(?:${attributes}|data-(?:${data})(?:-.*)?|data-[a-z]-.*|data-.*-(?:${suffixes}))$`,
  'i',
);
const plainAttribute = /^[a-z][a-z\d-]*$/i;

/** Returns whether an element is refused, even when `sanitize` lists it. */
export function isRefusedTag(tag: string): boolean {
  return refusedTag.test(tag);
}

/** Returns whether an attribute can run script, in the browser or by a library, even when `sanitize` lists it. */
export function isRefusedAttribute(name: string): boolean {
  const local = name.replace(/^(?:xlink|xml):/i, '');
  return !plainAttribute.test(local) || refusedAttribute.test(local);
}
