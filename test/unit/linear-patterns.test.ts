import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it, vi } from 'vitest';
import { root } from '../helpers/readme.ts';

// A pattern that takes time in the square of its input blocks a build, or the server of a live page, for seconds.

/** The characters on which patterns are tried. */
const length = 30_000;
/** The sizes of inputs: the smaller ones find a pattern that would take minutes on the larger ones. */
const sizes = [22, 400, 6_000, length];
/** Seconds of processor time for an input of that length. Linear patterns take a hundredth. */
const limit = 0.03;
/** Those for a short input, in which the clock is not exact. */
const least = 0.003;

interface Pattern {
  file: string;
  source: string;
  flags: string;
}

// The patterns of routes are Astro's.
const files = globSync('src/**/*.{ts,astro}', {
  cwd: root,
  exclude: ['src/redirects/route-paths.ts'],
}).toSorted();

/** Returns the literals of a file, and the number of patterns that it makes of texts. */
function patternsIn(file: string) {
  const literals: Pattern[] = [];
  let made = 0;
  const text = readFileSync(join(root, file), 'utf8');
  const script = file.endsWith('.astro') ? (text.split('---')[1] ?? '') : text;
  visit(ts.createSourceFile(file, script, ts.ScriptTarget.Latest));
  return { literals, made };

  function visit(node: ts.Node): void {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      literals.push({ file, source, flags });
    }
    const isNew = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isNew && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp') made += 1;
    ts.forEachChild(node, visit);
  }
}

/** Runs a module again, and returns the patterns that it makes of texts. */
async function patternsMadeBy(file: string): Promise<Pattern[]> {
  const patterns: Pattern[] = [];
  const { RegExp: original } = globalThis;
  vi.resetModules();
  globalThis.RegExp = new Proxy(original, {
    construct(target, [source, flags], self) {
      const pattern: RegExp = Reflect.construct(target, [source, flags], self);
      // Not those of a package that it imports.
      const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
      if (caller.includes(file))
        patterns.push({ file, source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  try {
    await import(join(root, file));
  } finally {
    globalThis.RegExp = original;
  }
  return patterns;
}

const signs = [...' \n\ta1A-_.,:;"\'`<>()[]{}=#&/\\|*+~!?%$@^é漢😀\u200b\u2028\r\0'];

/** The parts of a pattern that match one character, other parts between them as an empty text. */
function atomsOf({ source }: Pattern): string[] {
  const unit =
    /\\k<\w+>|\\[1-9]|\\[bB]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<\w+>)?|\{\d+(?:,\d*)?\}|./gisu;
  return [...source.matchAll(unit)].map(([part]) => {
    const isSign = /^(?:\\k|\\[1-9bB]$|\(|\{\d|[)|^$*+?]$)/.test(part);
    return isSign ? '' : part;
  });
}

/** Returns characters that a part of a pattern matches, of several kinds. */
function samplesOf(atom: string, flags: string): string[] {
  if (atom === '') return [];
  const pattern = new RegExp(`^(?:${atom})$`, flags.replace(/[gy]/g, ''));
  const literal = atom.replace(/^\\(?=[^\w])/, '');
  return [literal, ...signs].filter((sign) => pattern.test(sign)).slice(0, 4);
}

/** Returns texts of a size on which a pattern may be slow: repeated parts, behind what precedes them and before another sign. */
function* inputsFor(pattern: Pattern, size: number): Generator<string> {
  const made = new Set<string>();
  const atoms = atomsOf(pattern);
  const samples = atoms.map((atom) => samplesOf(atom, pattern.flags));
  const firsts = samples.map(([first = '']) => first);
  const whole = firsts.join('');
  const repeated = new Set([whole, ...samples.flat()]);
  for (let start = 0; start < firsts.length; start++) {
    // A run of literals, a pair, and what precedes a part.
    for (const end of [start + 2, start + 3]) repeated.add(firsts.slice(start, end).join(''));
    repeated.add(firsts.slice(0, start + 1).join(''));
  }
  for (const [index, kinds] of samples.entries()) {
    const before = firsts.slice(0, index).join('');
    for (const part of kinds) {
      for (const end of ['', '\0\n!']) made.add([before, part, end].join('\u{f000}'));
    }
  }
  for (const part of repeated)
    for (const end of ['', '!']) made.add(['', part, end].join('\u{f000}'));
  for (const recipe of made) {
    const [before = '', part = '', end = ''] = recipe.split('\u{f000}');
    if (part !== '') yield before + part.repeat(Math.ceil(size / part.length)) + end;
  }
}

/** Returns whether a pattern needs too much processor time to replace all its matches, in each of some tries. */
function isSlow({ source, flags }: Pattern, input: string): boolean {
  const most = least + (limit * input.length) / length;
  for (let tries = 0; tries < 3; tries++) {
    const pattern = new RegExp(source, flags);
    const start = process.cpuUsage();
    input.replace(pattern, '');
    const { user, system } = process.cpuUsage(start);
    if (user + system < most * 1e6) return false;
  }
  return true;
}

/** Returns an input on which a pattern takes too long, as a text that can be read. */
function slowInput(pattern: Pattern): string | undefined {
  for (const size of sizes) {
    for (const input of inputsFor(pattern, size)) {
      if (!isSlow(pattern, input)) continue;
      return `${JSON.stringify(input.slice(0, 80))} (${input.length} characters)`;
    }
  }
  return undefined;
}

const found = files.map((file) => ({ file, ...patternsIn(file) }));

it('each pattern of the package takes linear time', async () => {
  const making = found.filter(({ made }) => made > 0);
  const madeOfTexts: Pattern[] = [];
  for (const { file } of making) madeOfTexts.push(...(await patternsMadeBy(file)));
  const patterns = [...found.flatMap(({ literals }) => literals), ...madeOfTexts];
  const slow = patterns.flatMap((pattern) => {
    const input = slowInput(pattern);
    return input === undefined ? [] : `${pattern.file}: /${pattern.source}/ on ${input}`;
  });
  expect(slow).toEqual([]);
  expect(patterns.length).toBeGreaterThan(180);
  const ofPackage = new Set(madeOfTexts.map(({ file }) => file));
  expect(making.map(({ file }) => file).filter((file) => !ofPackage.has(file))).toEqual([]);
});

it('finds patterns that take longer', () => {
  const slow = ['a+b', '\\s+$', '(?:a|a)*c', '^[ab]*a[ab]*!', '# +(.{1,500}?)(?: +#+)? *$'];
  for (const source of slow)
    expect(slowInput({ file: '', source, flags: 'm' }), source).toBeDefined();
  const fast = ['a', '^a+b', '[^a]a', '^\\s+$', '^(?:ab)*c$'];
  for (const source of fast)
    expect(slowInput({ file: '', source, flags: '' }), source).toBeUndefined();
});
