import { readFileSync } from 'node:fs';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The files that a section of the README shows, by the path in their first comment. */
export function filesOf(section: string): Record<string, string> {
  const text = readme.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const blocks = [...text.matchAll(/```\w+\n((?:---\n)?\/\/ (\S+)\n[\s\S]*?)```/g)];
  return Object.fromEntries(blocks.map(([, code = '', path = '']) => [path, code]));
}
