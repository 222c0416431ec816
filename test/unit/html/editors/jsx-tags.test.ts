import { expect, it } from 'vitest';
import { closeTags } from '../../../../src/html/editors/jsx-tags.ts';

it.each([
  ['<iframe />', '<iframe></iframe>'],
  ['<IFRAME src="a/>b" / >x', '<IFRAME src="a/>b" / >x'],
  ['a<video\nsrc="a" />b', 'a<video\nsrc="a"></video>b'],
  ["<script src='>'/>", "<script src='>'></script>"],
  ['<canvas/>', '<canvas></canvas>'],
  ['<iframe src=a/ />', '<iframe src=a/></iframe>'],
  ['<iframe src="a"/><br/><textarea/>', '<iframe src="a"></iframe><br/><textarea></textarea>'],
])('%j is %j in HTML', (jsx, html) => expect(closeTags(jsx)).toBe(html));

it.each([
  ...['<br />', '<p/>', '<iframes />', '<iframe-x />', '<iframe src=a/>'],
  ...['<iframe>', '</iframe />', '<a title="<iframe />">', "<a title='<iframe />'>", '<iframe "/>'],
])('%j is unchanged', (html) => expect(closeTags(html)).toBe(html));
