import * as fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { finish } from '../unit/render/finish.ts';
import { launch } from './chromium.ts';
import { findViolations } from './policy-checker.ts';

// Sanitizes articles of random HTML, and parses the result with Chromium several times. No tree may contain
// anything that the policy forbids.

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await launch();
  page = await browser.newPage();
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto('https://site.example/');
});
afterAll(() => browser?.close());

const words = (list: string) => fc.constantFrom(...list.split(' '));

const tag = fc.oneof(
  words('a b p i div span table tr td caption ul li h2 img video picture source details summary q'),
  words(
    'svg g path use image text title desc style script foreignObject animate set a math mi mtext',
  ),
  words(
    'mglyph malignmark annotation-xml semantics ms mo maction desc noscript template select option',
  ),
  words(
    'form button input textarea iframe object embed base meta link xmp plaintext noembed noframes',
  ),
  words(
    'dialog slot portal frameset frame body html head my-element astro-island font nobr center',
  ),
);
const value = fc.oneof(
  words(
    'x #a https://a.example/x //a.example javascript:alert(1) JaVaScRiPt:alert(1) data:text/html,x',
  ),
  fc.constantFrom(
    ' java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'java&Tab;script&colon;alert(1)',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'data:image/png;base64,AAAA',
    'vbscript:x',
    'position:fixed;inset:0',
    'position:absolute;top:-9999px;width:99999px',
    'background:url(https://a.example/x)',
    'color:red;z-index:9',
    '"><img src=x onerror=alert(1)>',
    '</style><script>alert(1)</script>',
    '--><img src=x onerror=alert(1)>',
    ']]><img src=x onerror=alert(1)>',
    '`x` onerror=alert(1)',
    '{"src":["data:,x"]}',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const name = fc.oneof(
  words(
    'href src srcset style class id name title alt target rel xlink:href xml:base formaction action',
  ),
  words(
    'onclick onload onerror ONFOCUS on srcdoc poster data background ping is slot nonce autofocus',
  ),
  words(
    'http-equiv content attributeName values from to begin fill filter mask usemap popover cite',
  ),
  words('__ASTRO_IMAGE_ x-on:click data-x contenteditable encoding definitionURL shadowrootmode'),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const attribute = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(name, value).map(([n, v]) => ` ${n}="${v.replaceAll('"', '&quot;')}"`),
  },
  { weight: 1, arbitrary: fc.tuple(name, value).map(([n, v]) => ` ${n}=${v}`) },
  { weight: 1, arbitrary: fc.tuple(name, value).map(([n, v]) => `/${n}='${v}'`) },
);
const oddText = fc.constantFrom(
  '<!--',
  '-->',
  '--!>',
  '<!-->',
  '<![CDATA[',
  ']]>',
  '</',
  '<',
  '>',
  '<?x',
  '<!x',
  '\0',
  '&lt;img src=x onerror=alert(1)&gt;',
  '</title>',
  '</style>',
  '</script>',
  '</noscript>',
  '</xmp>',
  '</p>',
  '</svg>',
  '</math>',
  '</table>',
  '<br>',
  '\n\n',
  'x',
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
const soup = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => pieces.join(''));

test.each([true, 'strict'] as const)(
  'sanitize: %j',
  async (sanitize) => {
    const seed = Date.now();
    const articles = fc.sample(soup, { seed, ...runs(2_000) });
    const results = await Promise.all(
      articles.map(async (article) => (await finish(article, { sanitize })).html),
    );
    const violations = await page.evaluate(findViolations, results);
    const shown = violations
      .slice(0, 3)
      .map((violation) => ({ article: articles[violation.index], ...violation }));
    expect(shown, `with the seed ${seed}`).toEqual([]);
  },
  180_000,
);

test('the policy checker reports each kind of violation', async () => {
  const samples = [
    '<script>1</script>',
    '<p onclick=x>',
    '<a href="java&#9;script:x">',
    '<img src="data:image/svg+xml,x">',
    '<svg><foreignObject><p>x</p></foreignObject></svg>',
    '<svg><use href="https://a.example/#x"/></svg>',
    '<p style="position:fixed">',
    '<p style="background:url(//a.example)">',
    '<iframe>',
    '<img id=x src=y>',
  ];
  const violations = await page.evaluate(findViolations, samples);
  expect([...new Set(violations.map(({ index }) => index))]).toEqual(
    samples.map((_, index) => index),
  );
});
