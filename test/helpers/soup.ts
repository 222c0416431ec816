import * as fc from 'fast-check';

const words = (list: string) => fc.constantFrom(...list.trim().split(/\s+/));

const anyTag = words(`
  a b p i div span table tr td caption ul li h2 img video picture source details summary q form button input textarea
  svg g path use image text title desc style script foreignObject animate set a math mi mtext mglyph malignmark
  annotation-xml semantics ms mo maction noscript template select option iframe object embed base meta link xmp
  plaintext noembed noframes permission geolocation install webview turbo-frame amp-script pattern mask marker meter
  linearGradient rect tspan mstyle mrow mtable marquee canvas map area fieldset label output dialog slot portal
  frameset frame body html head my-element astro-island font nobr center`);
// Those that are kept are drawn more often, so that many attributes of each are judged.
const tag = fc.oneof(anyTag, words('a a p div img q video'));
const lines = (list: string) => fc.constantFrom(...list.trim().split(/\s*\n\s*/));
const url = fc.oneof(
  words(`
  x #a https://a.example/x //a.example javascript:alert(1) JaVaScRiPt:alert(1) data:text/html,x vbscript:x url(#a)
  data:image/png;base64,AAAA data:image/svg+xml,<svg/onload=alert(1)> java&Tab;script&colon;alert(1) mailto:a@b.example
  url(https://a.example/x) data:video/mp4;base64,AAAA {"src":["data:,x"]}`),
  fc.constantFrom(' java\tscript:alert(1)', '\u0001javascript:alert(1)', ' java&#10;script:x'),
);
const style = lines(`
  position:fixed;inset:0
  position:relative;top:-9999px;aspect-ratio:1/1000
  position:sticky!important;color:red;--x:@import
  --p:fixed;position:var(--p);margin:-1em;font-size:9em
  background:linear-gradient(red, blue);width:calc(1px + 2em)
  background:image-set("a.png" 1x);grid-template-columns:repeat(2,1fr)
  font-family:"a;b",serif;color:rgb(1;position:fixed
  u\\72l:x;/**/color:red;view-transition-name:x
  background:u\\72l(a);color:r\\65 d;color:red/*;background:xurl(a)
  position:absolute;top:-9999px;width:99999px
  background:url(https://a.example/x)
  color:red;z-index:9;transform:scale(9)
  color:red}p{color:blue
  columns:2;column-count:2;math-depth:-20`);
const odd = lines(`
  lightbox opener nofollow
  "><img src=x onerror=alert(1)>
  </style><script>alert(1)</script>
  --><img src=x onerror=alert(1)>
  ]]><img src=x onerror=alert(1)>
  \`x\` onerror=alert(1)`);
const value = fc.oneof(url, style, odd, fc.string({ unit: 'binary', maxLength: 8 }));
const name = fc.oneof(
  {
    weight: 8,
    arbitrary: words(`
  href src srcset style class id name title alt target rel xlink:href xml:base formaction action onclick onload
  onerror ONFOCUS on srcdoc poster data background ping is slot nonce autofocus http-equiv content attributeName
  values from to begin fill filter mask usemap popover cite __ASTRO_IMAGE_ x-on:click data-x contenteditable encoding
  definitionURL shadowrootmode _ script hx-get ws-connect sse-connect ng_click @click :class wire:click up-follow
  v-html x-data data-astro-transition-persist data-turbo-method data-method data-controller data-script data-on-load
  data-init data-animation-path data-splide data-sub-html data-bs-toggle data-v-x data-hx-get data-x-data data-note
  hspace vspace border align width height colspan datetime open start tabindex role hidden lang dir d cx viewBox
  transform clip-path marker-end stroke scriptlevel mathvariant displaystyle columnalign`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);
const pair = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(name, value) },
  { weight: 4, arbitrary: fc.tuple(words('href href src cite poster'), url) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('style'), style) },
);
const attribute = fc.oneof(
  { weight: 6, arbitrary: pair.map(([n, v]) => ` ${n}="${v.replaceAll('"', '&quot;')}"`) },
  { weight: 1, arbitrary: pair.map(([n, v]) => ` ${n}=${v}`) },
  { weight: 1, arbitrary: pair.map(([n, v]) => `/${n}='${v}'`) },
);
const oddText = fc.oneof(
  words(`
  <!-- --> --!> <!--> <![CDATA[ ]]> </ < > <?x <!x x </title> </style> </script> </noscript> </xmp> </p> </svg>
  </math> </table> <br>`),
  fc.constantFrom('\0', '\n\n', '&lt;img src=x onerror=alert(1)&gt;'),
);
const open = fc
  .tuple(tag, fc.array(attribute, { maxLength: 4 }))
  .map(([element, attributes]) => `<${element}${attributes.join('')}>`);
const piece = fc.oneof(
  { weight: 5, arbitrary: open },
  { weight: 3, arbitrary: tag.map((element) => `</${element}>`) },
  { weight: 2, arbitrary: oddText },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
/** Random HTML: elements and attributes that a sanitizer has to judge, open and closed in any order. */
export const soup = fc
  .array(piece, { minLength: 1, maxLength: 40 })
  .map((pieces) => pieces.join(''));
