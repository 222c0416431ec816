import { htmlOfQuill } from '../../src/client/html-of-quill.ts';

/** A whole article, as an editor writes it, and what a reader of the page of the CMS sees, in the order of the page. */
interface EditorExport {
  html: string;
  /** Words, `#` headings with their ids, `->` links, `img` pictures, `frame`, `video`, and `code`. */
  outline: string[];
  /** The starts of what a notice names, because it is not shown or cannot be used. */
  lost?: string[];
}

const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const icon = '<svg viewBox="0 0 24 24"><path d="M23 11 2 1v22z"/></svg>';

/** Articles of nine editors and plugins, by name. */
export const editorExports: Record<string, EditorExport> = {
  'WordPress, blocks': {
    html: `
<p class="wp-block-paragraph">Tides <strong>rise</strong> and <a href="https://cms.example/moon/">fall</a>.</p>
<h2 class="wp-block-heading" id="h-spring-tides">Spring tides</h2>
<figure class="wp-block-gallery has-nested-images columns-default is-cropped wp-block-gallery-1 is-layout-flex">
<figure class="wp-block-image size-large"><img loading="lazy" decoding="async" width="1024" height="683" data-id="12" src="https://cms.example/a-1024x683.jpg" alt="Ebb" class="wp-image-12" srcset="https://cms.example/a-1024x683.jpg 1024w, https://cms.example/a-300x200.jpg 300w" sizes="auto, (max-width: 1024px) 100vw, 1024px"/><figcaption class="wp-element-caption">At ebb</figcaption></figure>
<figure data-wp-context="{&quot;imageId&quot;:&quot;6&quot;}" data-wp-interactive="core/image" class="wp-block-image wp-lightbox-container"><img data-wp-on--click="actions.showLightbox" src="https://cms.example/b.jpg" alt="Flood"/><button class="lightbox-trigger" type="button" aria-haspopup="dialog" aria-label="Enlarge" data-wp-init="callbacks.initTriggerButton">${icon}</button></figure>
<figcaption class="blocks-gallery-caption wp-element-caption">Two tides</figcaption></figure>
<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout"><thead><tr><th class="has-text-align-left" data-align="left">Day</th></tr></thead><tbody><tr><td>Monday</td></tr></tbody></table></figure>
<pre class="wp-block-code"><code>if (a &lt; b) {
  wait()
}</code></pre>
<figure class="wp-block-embed is-type-video is-provider-youtube wp-embed-aspect-16-9"><div class="wp-block-embed__wrapper">
<iframe loading="lazy" title="Tides" width="500" height="281" src="https://www.youtube.com/embed/x?feature=oembed" frameborder="0" allow="accelerometer; autoplay" allowfullscreen></iframe>
</div></figure>
<div data-wp-interactive="core/file" class="wp-block-file"><object data-wp-bind--hidden="!state.hasPdfPreview" hidden class="wp-block-file__embed" data="https://cms.example/t.pdf" type="application/pdf" style="width:100%;height:600px" aria-label="Embed of t."></object><a id="wp-block-file--media-1" href="https://cms.example/t.pdf">Table</a><a href="https://cms.example/t.pdf" class="wp-block-file__button wp-element-button" download aria-describedby="wp-block-file--media-1">Download</a></div>
<details class="wp-block-details is-layout-flow"><summary>More</summary>
<p>Noted<sup data-fn="7f1" class="fn"><a href="#7f1" id="7f1-link">1</a></sup></p>
</details>
<ol class="wp-block-footnotes"><li id="7f1">A note <a href="#7f1-link" aria-label="Jump to reference 1">↩︎</a></li></ol>`,
    outline: [
      'Tides rise and',
      '-> https://cms.example/moon/',
      'fall .',
      '# h-spring-tides Spring tides',
      'img https://cms.example/a-1024x683.jpg',
      'At ebb',
      'img https://cms.example/b.jpg',
      'Two tides Day Monday',
      'code if (a < b) {\n  wait()\n}',
      'frame https://www.youtube.com/embed/x?feature=oembed',
      '-> https://cms.example/t.pdf',
      'Table',
      '-> https://cms.example/t.pdf',
      'Download More Noted',
      '-> #7f1',
      '1 A note',
      '-> #7f1-link',
      '↩︎',
    ],
    lost: ['<object>', 'data-id on', 'data-wp-interactive on'],
  },
  'WordPress, classic with a plugin for lazy pictures': {
    html: `
<p>Before the sea.</p>
<p><span id="more-12"></span></p>
<p>&nbsp;</p>
<div id="attachment_12" style="width: 310px" class="wp-caption alignleft"><img loading="lazy" aria-describedby="caption-attachment-12" class="size-medium lazyload" data-src="https://cms.example/c.jpg" src="data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=" alt="" width="300" height="200"/><noscript><img aria-describedby="caption-attachment-12" class="size-medium" src="https://cms.example/c.jpg" alt="" width="300" height="200"/></noscript><p id="caption-attachment-12" class="wp-caption-text">The coast</p></div>
<style type="text/css">#gallery-1 { margin: auto; }</style>
<div id='gallery-1' class='gallery galleryid-5'><dl class='gallery-item'><dt class='gallery-icon landscape'><a href='https://cms.example/p/'><img src="${gif}" data-lazy-src="https://cms.example/g.jpg" class="attachment-thumbnail" alt=""/></a></dt><dd class='wp-caption-text gallery-caption'>A gull</dd></dl><br style="clear: both"/></div>
<p><iframe loading="lazy" title="Sea" src="about:blank" data-rocket-lazyload="fitvidscompatible" data-lazy-src="https://www.youtube.com/embed/y?feature=oembed" width="500" height="281"></iframe><noscript><iframe title="Sea" src="https://www.youtube.com/embed/y?feature=oembed" width="500" height="281"></iframe></noscript></p>
<div style="width: 640px;" class="wp-video"><!--[if lt IE 9]><script>document.createElement('video');</script><![endif]-->
<video class="wp-video-shortcode" id="video-5-1" width="640" height="360" preload="metadata" controls="controls"><source type="video/mp4" src="https://cms.example/v.mp4?_=1"/><a href="https://cms.example/v.mp4">https://cms.example/v.mp4</a></video></div>
<blockquote><p>Time and tide</p></blockquote>`,
    outline: [
      'Before the sea.',
      'img https://cms.example/c.jpg',
      'The coast',
      '-> https://cms.example/p/',
      'img https://cms.example/g.jpg',
      'A gull',
      'frame https://www.youtube.com/embed/y?feature=oembed',
      'video https://cms.example/v.mp4?_=1',
      'Time and tide',
    ],
    lost: ['<style>', 'id on'],
  },
  'Ghost, cards': {
    html: `<p>Open <em>water</em>.</p><div class="kg-card kg-audio-card"><img src="" alt="audio-thumbnail" class="kg-audio-thumbnail kg-audio-hide"><div class="kg-audio-thumbnail placeholder">${icon}</div><div class="kg-audio-player-container"><audio src="https://cms.example/a.mp3" preload="metadata"></audio><div class="kg-audio-title">Waves</div><div class="kg-audio-player"><button class="kg-audio-play-icon" aria-label="Play audio">${icon}</button><span class="kg-audio-current-time">0:00</span><div class="kg-audio-time">/<span class="kg-audio-duration">60</span></div><input type="range" class="kg-audio-seek-slider" max="100" value="0"><button class="kg-audio-playback-rate" aria-label="Adjust playback speed">1&#215;</button></div></div></div><figure class="kg-card kg-video-card kg-width-regular kg-card-hascaption" data-kg-thumbnail="https://cms.example/t.jpg" data-kg-custom-thumbnail=""><div class="kg-video-container"><video src="https://cms.example/v.mp4" poster="https://img.spacergif.org/v1/1280x720/0a/spacer.png" width="1280" height="720" playsinline preload="metadata" style="background: transparent url('https://cms.example/t.jpg') 50% 50% / cover no-repeat;"></video><div class="kg-video-overlay"><button class="kg-video-large-play-icon" aria-label="Play video">${icon}</button></div><div class="kg-video-player-container"><div class="kg-video-player"><span class="kg-video-current-time">0:00</span><button class="kg-video-playback-rate">1&#215;</button></div></div></div><figcaption><p><span style="white-space: pre-wrap;">A wave</span></p></figcaption></figure><div class="kg-card kg-toggle-card" data-kg-toggle-state="close"><div class="kg-toggle-heading"><h4 class="kg-toggle-heading-text"><span style="white-space: pre-wrap;">Why?</span></h4><button class="kg-toggle-card-icon" aria-label="Expand toggle to read content">${icon}</button></div><div class="kg-toggle-content"><p>The moon.</p></div></div><figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://x.example/"><div class="kg-bookmark-content"><div class="kg-bookmark-title">A page</div></div><div class="kg-bookmark-thumbnail"><img src="https://x.example/o.png" alt="" onerror="this.style.display = 'none'"></div></a></figure><div class="kg-card kg-callout-card kg-callout-card-blue"><div class="kg-callout-emoji">💡</div><div class="kg-callout-text">Swim</div></div><figure class="kg-card kg-gallery-card kg-width-wide"><div class="kg-gallery-container"><div class="kg-gallery-row"><div class="kg-gallery-image"><img src="https://cms.example/1.jpg" width="2000" height="1333" loading="lazy" alt="" srcset="https://cms.example/s/1.jpg 600w" sizes="(min-width: 720px) 720px"></div></div></div></figure><pre><code class="language-js">let a = 1;
</code></pre><!--kg-card-begin: html--><div id="own">Raw</div><!--kg-card-end: html-->`,
    outline: [
      'Open water .',
      'audio https://cms.example/a.mp3',
      'Waves',
      'video https://cms.example/v.mp4',
      'A wave',
      '# why Why?',
      'The moon.',
      '-> https://x.example/',
      'A page',
      'img https://x.example/o.png',
      '💡 Swim',
      'img https://cms.example/1.jpg',
      'code let a = 1;\n',
      'Raw',
    ],
    lost: ['style on', 'data-kg-toggle-state on', 'id on'],
  },
  'Strapi, CKEditor 5': {
    html: `<h2>Harbour</h2><figure class="image image_resized" style="width:50%;"><img style="aspect-ratio:1920/1080;" src="/uploads/a.jpg" alt="A" srcset="/uploads/s.jpg 500w,/uploads/m.jpg 750w" sizes="100vw" width="1920" height="1080"><figcaption>The pier</figcaption></figure><p>&nbsp;</p><figure class="table" style="width:80%;"><table class="ck-table-resized"><colgroup><col style="width:50%;"><col style="width:50%;"></colgroup><thead><tr><th scope="col">&nbsp;</th><th>Depth</th></tr></thead><tbody><tr><th>Ebb</th><td>2 m</td></tr></tbody></table></figure><ul class="todo-list"><li><label class="todo-list__label"><input type="checkbox" disabled="disabled" checked="checked"><span class="todo-list__label__description">Moor</span></label></li></ul><pre><code class="language-plaintext">knots</code></pre><p><mark class="marker-yellow">Mind</mark> the <a href="/gap">gap</a>.</p><figure class="media"><oembed url="https://www.youtube.com/watch?v=1"></oembed></figure>`,
    outline: [
      '# harbour Harbour',
      'img /uploads/a.jpg',
      'The pier Depth Ebb 2 m Moor',
      'code knots',
      'Mind the',
      '-> /gap',
      'gap .',
      '-> https://www.youtube.com/watch?v=1',
      'https://www.youtube.com/watch?v=1',
    ],
    lost: ['<label>'],
  },
  'Directus, TinyMCE': {
    html: `<h2>Chart</h2>\n<p><img src="https://d.example/assets/1?width=800&amp;height=600" alt="A" width="800" height="600"></p>\n<table style="border-collapse: collapse; width: 100%;" border="1"><colgroup><col style="width: 50%;"></colgroup>\n<tbody>\n<tr>\n<td>North</td>\n</tr>\n</tbody>\n</table>\n<p><iframe src="https://other.example/embed/1" width="560" height="314" allowfullscreen="allowfullscreen"></iframe></p>\n<p><video controls="controls" width="300" height="150"><source src="/v.mp4" type="video/mp4"></video></p>\n<pre class="language-markup"><code>&lt;b&gt;</code></pre>\n<p>&nbsp;</p>\n<p style="padding-left: 40px;">Inset, with a <a title="Page" href="/x" target="_blank" rel="noopener">link</a></p>`,
    outline: [
      '# chart Chart',
      'img https://d.example/assets/1?width=800&height=600',
      'North',
      'video /v.mp4',
      'code <b>',
      'Inset, with a',
      '-> /x',
      'link',
    ],
    lost: ['<iframe> of other.example', 'border on'],
  },
  'Payload, Lexical': {
    html: `<div class="payload-richtext"><h2>List</h2><ul class="list-check"><li aria-checked="true" class="list-item-checkbox list-item-checkbox-checked" role="checkbox" tabindex="-1" value="1" style="list-style-type: none;">Buoy<br></li></ul><ol class="list-number"><li class="list-item" value="1" style="">Net</li><li class="list-item nestedListItem" value="2" style="list-style-type: none;"><ol class="list-number"><li class="list-item" value="1" style="">Mesh</li></ol></li></ol><p><br></p><div class="lexical-table-container"><table class="lexical-table" style="border-collapse: collapse;"><tbody><tr class="lexical-table-row"><th class="lexical-table-cell lexical-table-cell-header-1" style="border: 1px solid #ccc; padding: 8px;"><p>Size</p></th></tr></tbody></table></div><picture><source media="(max-width: 400px)" type="image/webp" srcset="/s.webp"><img alt="A" height="10" src="/a.jpg" width="10"></picture><p><code>x</code> and <a href="/f.pdf" rel="noopener noreferrer">f.pdf</a></p></div>`,
    outline: [
      '# list List',
      'Buoy Net Mesh Size',
      'img /a.jpg',
      'code x',
      'and',
      '-> /f.pdf',
      'f.pdf',
    ],
  },
  Tiptap: {
    html: `<h3>Plan</h3><ul data-type="taskList"><li data-checked="true" data-type="taskItem"><label><input type="checkbox" checked="checked"><span></span></label><div><p>Sail</p></div></li></ul><div data-youtube-video=""><iframe width="640" height="480" allowfullscreen="true" src="https://www.youtube.com/embed/1"></iframe></div><p></p><details class="details"><summary>Route</summary><div data-type="detailsContent"><p>South</p></div></details><p>Speed <span data-latex="a^2" data-type="inline-math"></span></p><pre><code class="language-css">a {
  b: c;
}</code></pre><p><br class="ProseMirror-trailingBreak"></p><p><span data-type="mention" class="mention" data-id="1">@Ann</span></p>`,
    outline: [
      '# plan Plan',
      'Sail',
      'frame https://www.youtube.com/embed/1',
      'Route South Speed',
      'code a {\n  b: c;\n}',
      '@Ann',
    ],
    lost: ['data-latex on', 'data-checked on'],
  },
  Quill: {
    html: htmlOfQuill(
      `<h2>Crew</h2><ol><li data-list="ordered"><span class="ql-ui" contenteditable="false"></span>Captain</li><li data-list="bullet" class="ql-indent-1"><span class="ql-ui" contenteditable="false"></span>Mate</li><li data-list="checked"><span class="ql-ui" contenteditable="false"></span>Cook</li></ol><p><br></p><div class="ql-code-block-container" spellcheck="false"><div class="ql-code-block" data-language="javascript">if (a)</div><div class="ql-code-block">  b()</div></div><iframe class="ql-video" frameborder="0" allowfullscreen="true" src="https://www.youtube.com/embed/1?showinfo=0"></iframe><p class="ql-align-center">See <a href="https://x.example/" rel="noopener noreferrer" target="_blank">here</a> <span class="ql-formula" data-value="e=mc^2"></span></p><p><img src="data:image/png;base64,iVBORw0KGgo="></p>`,
    ),
    outline: [
      '# crew Crew',
      'Captain Mate Cook',
      'code if (a)\n  b()',
      'frame https://www.youtube.com/embed/1?showinfo=0',
      'See',
      '-> https://x.example/',
      'here',
      'img data:image/png;base64,iVBORw0KGgo=',
    ],
    lost: ['data-list on', 'data-value on'],
  },
  'A word processor, pasted': {
    html: `<p class="MsoNormal" style="margin-bottom:0cm;mso-fareast-font-family:Calibri;line-height:normal"><b style="mso-bidi-font-weight:normal"><span lang="EN-US" style="font-size:12.0pt;mso-ansi-language:EN-US">Report<o:p></o:p></span></b></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><!--[if gte mso 9]><xml><w:WordDocument></w:WordDocument></xml><![endif]--><p class="MsoListParagraph" style="text-indent:-18.0pt;mso-list:l0 level1 lfo1"><![if !supportLists]><span style="mso-list:Ignore">·<span style="font:7.0pt &quot;Times New Roman&quot;">&nbsp;&nbsp; </span></span><![endif]>An item</p><h2><a name="_Toc1"></a>Part<o:p></o:p></h2><p><a href="#_Toc1">To the part</a></p><img width="10" src="file:///C:/Users/a/clip_image001.png" v:shapes="Picture_1"><p>In <st1:place w:st="on">Paris</st1:place></p><table class="MsoTableGrid" border="1" cellspacing="0" style="border-collapse:collapse;mso-yfti-tbllook:1184"><tr style="mso-yfti-irow:0"><td width="208" valign="top" style="width:155.8pt;mso-border-alt:solid windowtext .5pt"><p class="MsoNormal">Cell<o:p></o:p></p></td></tr></table><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.38;margin-top:0pt;"><span style="font-size:11pt;font-family:Arial,sans-serif;white-space:pre-wrap;">From a document</span></p></b>`,
    outline: [
      'Report · An item',
      '# part Part',
      '-> #_Toc1',
      'To the part In Paris Cell From a document',
    ],
    lost: ['<o:p>', '<st1:place>', 'src on', 'border on'],
  },
};
