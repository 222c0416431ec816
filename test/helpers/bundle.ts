import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const project = fileURLToPath(new URL('../..', import.meta.url));

export interface Bundle {
  code: string;
  /** The size in bytes, compressed with gzip. */
  size: number;
  /** The imports that are not part of the bundle. */
  imports: object[];
  /** The files that it was made from, also those of which nothing is left in it. */
  files: string[];
}

/** Bundles a module of this repository with the conditions of a host. */
export async function bundle(contents: string, conditions: string[]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions,
    external: ['node:*', 'astro:*', 'astro/*'],
    metafile: true,
    write: false,
  });
  const [file] = outputFiles;
  if (!file) throw new Error('nothing was bundled');
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    code: file.text,
    size: gzipSync(file.contents).length,
    imports,
    files: Object.keys(metafile.inputs),
  };
}
