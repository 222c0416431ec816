import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';

// Astro compiles components in the site that uses them, so they are shipped as they are, but for the
// names of the modules beside them, which the compiler has renamed.
const from = new URL('../src/components/', import.meta.url);
const to = new URL('../dist/components/', import.meta.url);

await mkdir(to, { recursive: true });
for (const name of await readdir(from)) {
  if (!name.endsWith('.astro')) continue;
  const text = await readFile(new URL(name, from), 'utf8');
  await writeFile(new URL(name, to), text.replace(/(from '\.{1,2}\/.*)\.ts'/g, "$1.js'"));
}
