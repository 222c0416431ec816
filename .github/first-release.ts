// Replaces what holds before the first release: the installation from a clone, and the placeholder for the owner. Removes
// changesets, because the changelog has the first version already, and they would propose the second one.
// Usage: node .github/first-release.ts ACCOUNT
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const placeholder = 'OWNER';

/** The texts before the first release, and after it. `OWNER` is replaced by the account. */
export const replacements = [
  {
    file: 'README.md',
    before: `In a clone of this repository:

\`\`\`sh
npm install
npm run new -- ../my-site
\`\`\`
`,
    after: `\`\`\`sh
npm create astro@latest my-site -- --template OWNER/astro-articles/templates/blog
\`\`\`
`,
  },
  {
    file: 'README.md',
    before: `To add the package to a project with Astro 6.4 or newer and Node 22.13 or newer, pack it in a clone of this repository:

\`\`\`sh
npm install
npm pack --pack-destination ../my-site
\`\`\`

Then install it in your project. With pnpm, also run \`pnpm add sharp\`.

\`\`\`sh
npm install ./astro-articles-0.1.0.tgz
\`\`\`
`,
    after: `Add the package to an existing Astro project. With pnpm, also run \`pnpm add sharp\`.

\`\`\`sh
npx astro add astro-articles
\`\`\`
`,
  },
  {
    file: 'README.md',
    before: '- [All pages](docs/README.md)\n',
    after:
      '- [All pages](docs/README.md), also as [a site](https://OWNER.github.io/astro-articles/)\n',
  },
  {
    file: 'README.md',
    before: `
## Before the first release

The package is on no registry yet. With its first release, \`npm create astro@latest -- --template OWNER/astro-articles/templates/blog\` creates a site, \`npx astro add astro-articles\` adds the package to yours, and [the documentation](https://OWNER.github.io/astro-articles/) is a site.
`,
    after: '',
  },
  {
    file: 'docs/README.md',
    before: `npm run new -- ../my-site                # a new site, from a clone of the repository
npm pack --pack-destination ../my-site   # your own site: \`npm install\` the packed file there
`,
    after: `npm create astro@latest -- --template OWNER/astro-articles/templates/blog   # a new site
npx astro add astro-articles                                                # your own site
`,
  },
  {
    file: 'docs/start/template.md',
    before: `In a clone of the repository:

\`\`\`sh
npm install
npm run new -- ../my-site
cd ../my-site
`,
    after: `\`\`\`sh
npm create astro@latest my-site -- --template OWNER/astro-articles/templates/blog
cd my-site
`,
  },
  {
    file: 'docs/start/template.md',
    before: `## Make it yours
`,
    after: `## Deploy it

Each button copies the template to a repository of yours, and publishes it:

[![Deploy to Netlify](https://www.netlify.com/img/deploy/button.svg)](https://app.netlify.com/start/deploy?repository=https://github.com/OWNER/astro-articles&base=templates/blog) [![Deploy with Vercel](https://vercel.com/button)](https://vercel.com/new/clone?repository-url=https://github.com/OWNER/astro-articles/tree/main/templates/blog)

## Make it yours
`,
  },
];

/**
 * Returns the text of a file as the first release needs it.
 * @throws {Error} when a text that it replaces is missing
 */
export function releasedText(file: string, text: string, account: string): string {
  let result = text;
  for (const { before, after } of replacements.filter((each) => each.file === file)) {
    if (!result.includes(before)) throw new Error(`${file} does not contain:\n${before}`);
    result = result.replace(before, () => after);
  }
  return result.replaceAll(placeholder, account);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [account] = process.argv.slice(2);
  if (!account) throw new Error('Name the account that owns the repository.');
  const root = new URL('../', import.meta.url);
  const files = new Set(['package.json', ...replacements.map(({ file }) => file)]);
  const results = Array.from(files, (file) => {
    const url = new URL(file, root);
    return { url, text: releasedText(file, readFileSync(url, 'utf8'), account) };
  });
  for (const { url, text } of results) writeFileSync(url, text);
  for (const path of globSync('.changeset/*.md', { cwd: root })) rmSync(new URL(path, root));
}
