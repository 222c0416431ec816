import { mkdirSync, type Stats, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { bestEffort, readIfExists, statIfExists } from './files.ts';
import { parseJson } from './stored-article.ts';

const schema = z.record(z.string(), z.string());

/**
 * Records which image files were intact, so that not every load hashes all of them: for 5,000 images of
 * 50 KB that takes 0.4 s. A file whose size or modification time has changed is hashed again.
 */
export function openVerifiedImages(path: string) {
  const known = new Map<string, string>();
  bestEffort(() => {
    const found = schema.safeParse(parseJson(String(readIfExists(path))));
    for (const [file, stamp] of Object.entries(found.data ?? {})) known.set(file, stamp);
  });
  let isChanged = false;

  return {
    has: (file: string, stats: Stats) => known.get(file) === stampOf(stats),

    add(file: string, stats: Stats): void {
      known.set(file, stampOf(stats));
      isChanged = true;
    },

    save(files: ReadonlySet<string>): void {
      const kept = [...known].filter(([file]) => files.has(file)).sort();
      if (!isChanged && kept.length === known.size) return;
      bestEffort(() => {
        mkdirSync(dirname(path), { recursive: true });
        // A link is replaced, and not followed to a file of others.
        if (statIfExists(path)?.isSymbolicLink()) unlinkSync(path);
        writeFileSync(path, JSON.stringify(Object.fromEntries(kept)));
      });
    },
  };
}

function stampOf({ size, mtimeMs }: Stats): string {
  return `${size} ${mtimeMs}`;
}
