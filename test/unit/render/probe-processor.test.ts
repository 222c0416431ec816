import { expect, it } from 'vitest';
import { probeProcessor } from '../../../src/render/probe-processor.ts';

it.each([
  ['a heading', /^## \w/m],
  ['a formula in a line', /\$x\^2\$/],
  ['a formula of its own', /^\$\$\n.+\n\$\$$/m],
  ['a note', /\[\^1\](?!:).*^\[\^1\]: /ms],
  ['code with a title and a marked line', /^```lua title=".+" \{1\}\n.+\n```$/m],
  ['commands of a shell', /^```sh\n.+\n```$/m],
  ['a table', /^\| a \| b \|\n\| - \| - \|\n/m],
  ['a task', /^- \[x\] /m],
])('finds what a processor writes for %s', async (_, sign) => {
  const render = async (markdown: string) => ({
    html: sign.test(markdown) ? '<x-own></x-own>' : '',
  });
  expect([...(await probeProcessor(render))]).toEqual(['x-own']);
});
