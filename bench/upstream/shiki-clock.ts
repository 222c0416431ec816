// Shows that the colours of code depend on the clock: a pause of the machine in the middle of a line ends its colours.
import { createMarkdownProcessor } from '@astrojs/markdown-remark';

const line = `const list = [${"{ name: 'Tides', at: 12, of: 'moons' }, ".repeat(20)}];`;
const processor = await createMarkdownProcessor();
async function countTokens(): Promise<number> {
  const { code } = await processor.render(`\`\`\`js\n${line}\n\`\`\``);
  return code.split('<span style').length - 1;
}

// The first call compiles the grammar, which may take longer than the limit by itself.
const first = await countTokens();
const quiet = await countTokens();
const { now } = Date;
// As if another process had the processor for 0.6 s after the clock was read a hundred times.
let calls = 0;
Date.now = () => {
  calls += 1;
  return now() + (calls > 100 ? 600 : 0);
};
const busy = await countTokens();
Date.now = now;
console.log(`coloured pieces: ${first} at first, ${quiet} then, ${busy} with a pause of 0.6 s`);
