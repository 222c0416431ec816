import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Creates a site of one's own from the template and this clone: `npm run new -- ../my-site`.

const root = fileURLToPath(new URL('../', import.meta.url));
const template = join(root, 'templates/blog');
const { INIT_CWD = process.cwd(), npm_config_user_agent: agent = '' } = process.env;

const [name] = process.argv.slice(2);
if (!name) end('Name the folder of the new site: npm run new -- ../my-site');
const site = resolve(INIT_CWD, name);
if (existsSync(site) && readdirSync(site).length > 0) {
  end(`The folder ${site} is not empty. Name another one: npm run new -- ${name}-2`);
}

const written = /^(?:node_modules|dist|\.astro|\.env(?:\..+)?)$/;
cpSync(template, site, {
  recursive: true,
  filter: (path) => path.endsWith('.env.example') || !written.test(basename(path)),
});
const tarball = runNpm(['pack', '--silent', '--ignore-scripts'], root).trim();
copyFileSync(join(root, tarball), join(site, tarball));
rmSync(join(root, tarball));
writeFileSync(join(site, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);
console.log('Installing the packages of the site. This can take a minute.');
runNpm(['install', '--no-audit', '--no-fund'], site);

console.log(`
The site is in ${site}. To see it:

  cd ${relative(INIT_CWD, site)}
  npm run dev

Its README.md says what to change, and how to use your service.`);

/** Returns the manifest of the template, with the tarball in place of the published package. */
function manifest(): Manifest {
  const fields = readManifest(template);
  const { node = '' } = readManifest(root).devDependencies;
  const isNew = isNodeNew(fields.engines.node);
  return {
    ...fields,
    dependencies: { ...fields.dependencies, 'astro-articles': `file:${tarball}` },
    devDependencies: { ...fields.devDependencies, ...(isNew ? {} : { node }) },
    allowScripts: { ...fields.allowScripts, ...(isNew ? {} : { node: true }) },
  };
}

/** Reports whether the Node that runs npm is one that a site needs. Otherwise, the site brings the one of this clone. */
function isNodeNew(needed: string): boolean {
  const [, major = 0, minor = 0] = /\bnode\/v(\d+)\.(\d+)/.exec(agent)?.map(Number) ?? [];
  const [leastMajor = 0, leastMinor = 0] = needed.match(/\d+/g)?.map(Number) ?? [];
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
  engines: { node: string };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Runs npm, shows what it prints as errors, and returns the rest. */
function runNpm(args: readonly string[], cwd: string): string {
  const shell = process.platform === 'win32';
  return execFileSync('npm', args, { cwd, shell, stdio: ['ignore', 'pipe', 'inherit'] }).toString();
}

function end(message: string): never {
  console.error(message);
  process.exit(1);
}
