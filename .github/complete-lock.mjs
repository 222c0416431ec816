// Adds the checksums that package-lock.json lacks, because the registry that wrote it did not have the
// packages of some platforms. npm adds the checksum of a package only when it adds the package itself, so
// their entries are removed first. The file is left unchanged where the registry still lacks one of them.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const before = readFileSync(file, 'utf8');
const lock = JSON.parse(before);
const incomplete = incompleteIn(lock);

for (const path of incomplete) delete lock.packages[path];
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
  cwd: new URL('..', import.meta.url),
  stdio: 'inherit',
});

const after = JSON.parse(readFileSync(file, 'utf8'));
const missing = incomplete.filter((path) => !after.packages[path]?.integrity);
if (missing.length > 0) {
  writeFileSync(file, before);
  process.stderr.write(`The registry lacks ${missing.length} packages, such as ${missing[0]}.\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`Added the checksums of ${incomplete.length} packages.\n`);
}

function incompleteIn({ packages }) {
  const isIncomplete = ([path, { integrity, link, inBundle }]) =>
    path.includes('node_modules/') && !integrity && !link && !inBundle;
  return Object.entries(packages)
    .filter(isIncomplete)
    .map(([path]) => path);
}
