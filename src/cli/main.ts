#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 13)) {
  // Imported only here, because older versions of Node cannot load it.
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
} else {
  process.stderr.write(
    `astro-articles needs Node 22.13 or newer; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}

export {};
