import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import ts from 'typescript';

/** One change of one place in the code. */
export interface Mutant {
  id: string;
  line: number;
  /** The code before and after. */
  change: string;
  /** Whether it takes effect while the module is imported, and not when a function is called. */
  isStatic: boolean;
  /** Whether it is a part of a pattern. */
  isPattern: boolean;
}

/** Operators and methods, and what replaces them. */
const others = new Map<string, string[]>(
  Object.entries({
    ...{ '&&': ['||'], '||': ['&&'], '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'] },
    ...{ '===': ['!=='], '!==': ['==='], '<': ['<=', '>='], '>': ['>=', '<='] },
    ...{ '<=': ['<', '>'], '>=': ['>', '<'], some: ['every'], every: ['some'] },
    ...{ min: ['max'], max: ['min'], find: ['findLast'], findLast: ['find'] },
    ...{ findIndex: ['findLastIndex'], findLastIndex: ['findIndex'] },
    ...{ startsWith: ['endsWith'], endsWith: ['startsWith'] },
  }),
);
/** Methods whose call is replaced by their object. */
const removable = /^(?:filter|sort|toSorted|toReversed|slice|trim|toLowerCase)$/;

/** Finds the mutants of a module. Those in `wanted` become part of its code, and are switched by `mutant(id)`. */
export function mutate(
  text: string,
  { file, wanted }: { file: string; wanted?: ReadonlySet<string> },
): { mutants: Mutant[]; code: string } {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  return { code: text.slice(0, source.getStart()) + write(source, true), mutants };

  /** Returns the code of a node, with the wanted mutants of the node and its children. */
  function write(node: ts.Node, isStatic: boolean): string {
    const start = node.getStart(source);
    if (isWithoutMutants(node)) return text.slice(start, node.end);
    let code = '';
    let end = start;
    ts.forEachChild(node, (child) => {
      code += text.slice(end, Math.max(end, child.getStart(source)));
      code += write(child, isStatic && !ts.isFunctionLike(node));
      end = child.end;
    });
    code += text.slice(end, node.end);
    // A loop may have no end with a mutant elsewhere.
    if (wanted && ts.isBlock(node) && ts.isIterationStatement(node.parent, false))
      code = `{ mutant('');${code.slice(1)}`;
    const otherPatterns: string[] = [];
    for (const [index, mutation] of mutationsOf(node).entries()) {
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      const id = `${file}:${start}:${node.end}:${index}`;
      const change = `${text.slice(start, node.end)} → ${mutation || '(removed)'}`;
      const isPattern = ts.isRegularExpressionLiteral(node);
      // A pattern is switched when it is used, wherever it was made.
      const mutant = { id, line, change: change.replace(/\s+/g, ' '), isPattern };
      mutants.push({ ...mutant, isStatic: isStatic && !isPattern });
      if (!wanted?.has(id)) continue;
      if (isPattern) {
        otherPatterns.push(`[${JSON.stringify(id)}, ${mutation}]`);
        continue;
      }
      const isOn = `mutant(${JSON.stringify(id)})`;
      if (ts.isStatement(node)) code = `{ if (!${isOn}) ${code} }`;
      // So a test without mutants can compare both values.
      else if (isPure(node))
        code = `choose(${JSON.stringify(id)}, () => (${mutation}), () => (${code}))`;
      else code = `(${isOn} ? ${mutation} : ${code})`;
    }
    if (otherPatterns.length > 0) return `switchable(${code}, [${otherPatterns}])`;
    return code;
  }
}

/** Methods that change nothing. */
const pure =
  /^(?:has|get|includes|test|some|every|find|findLast|findIndex|filter|map|flatMap|slice|trim|toSorted|toLowerCase|startsWith|endsWith|min|max|floor|keys|values|entries|join|split|replace|at|isArray|isSafeInteger|hasOwn)$/;

/** Whether an expression can be evaluated without an effect. */
function isPure(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || ts.isNewExpression(node) || ts.isDeleteExpression(node))
    return false;
  if (ts.isPostfixUnaryExpression(node)) return false;
  if (ts.isPrefixUnaryExpression(node) && /^[+-]{2}/.test(node.getText())) return false;
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment) return false;
  }
  if (ts.isCallExpression(node)) {
    const { expression: called } = node;
    if (!ts.isPropertyAccessExpression(called) || !pure.test(called.name.text)) return false;
  }
  return ts.forEachChild(node, (child) => !isPure(child)) !== true;
}

/** Types, texts of messages, names of imports and keys, and what throws. */
function isWithoutMutants(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  return ts.isNewExpression(node) && /Error$/.test(node.expression.getText());
}

function mutationsOf(node: ts.Node): string[] {
  if (ts.isExpressionStatement(node)) return [''];
  if (!ts.isExpression(node)) return [];
  const changes = ownMutations(node);
  const { parent } = node;
  const isCondition =
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === node) ||
    ((ts.isConditionalExpression(parent) || ts.isForStatement(parent)) &&
      parent.condition === node);
  if (isCondition && changes.length === 0) changes.push(`!(${node.getText()})`);
  const isResult =
    ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && parent.body === node);
  const isNothing = /^(?:undefined|true|false)$/.test(node.getText()) || ts.isVoidExpression(node);
  return isResult && !isNothing ? [...changes, 'undefined'] : changes;
}

function ownMutations(node: ts.Expression): string[] {
  if (isKey(node)) return [];
  if (ts.isNumericLiteral(node)) return [node.text === '1' ? '0' : `${node.text} + 1`];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ['true'];
  if (ts.isStringLiteral(node)) return isValue(node) ? ["''"] : [];
  if (ts.isRegularExpressionLiteral(node)) return patternsWithoutAPart(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [node.operand.getText()];
  if (ts.isBinaryExpression(node)) {
    const [left, operator, right] = [node.left, node.operatorToken, node.right].map((each) =>
      each.getText(),
    ) as [string, string, string];
    if (operator === '??') return [left];
    if (operator === '+' && /[`']/.test(left + right)) return [];
    // Without parentheses, a mixture of operators can have another meaning.
    const either = (other: string) => `(${left}) ${other} (${right})`;
    return (others.get(operator) ?? []).map(either);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  if (/\?\./.test(node.expression.getText())) return [];
  const { expression: object, name } = node.expression;
  if (removable.test(name.text)) return [object.getText()];
  const parameters = node.arguments.map((each) => each.getText()).join(', ');
  return (others.get(name.text) ?? []).map(
    (method) => `${object.getText()}.${method}(${parameters})`,
  );
}

/**
 * Returns a pattern without each of its assertions, alternatives and members of classes, with other quantifiers, and with
 * case that matters.
 */
function patternsWithoutAPart(literal: string): string[] {
  const parsed = new RegExpParser().parseLiteral(literal);
  const { pattern, flags } = parsed;
  const others = new Set<string>();
  const addWith = ({ start, end }: { start: number; end: number }, text: string) =>
    others.add(literal.slice(0, start) + text + literal.slice(end));
  visitRegExpAST(pattern, {
    onAssertionEnter: (assertion) => addWith(assertion, ''),
    onAlternativeEnter(alternative) {
      const { alternatives } = alternative.parent;
      if (!('alternatives' in alternative.parent) || alternatives.length === 1) return;
      const isLast = alternatives.at(-1) === alternative;
      const start = isLast ? alternative.start - 1 : alternative.start;
      addWith({ start, end: isLast ? alternative.end : alternative.end + 1 }, '');
    },
    onCharacterClassEnter({ elements }) {
      if (elements.length > 1) for (const element of elements) addWith(element, '');
    },
    onQuantifierEnter({ element, end, raw, min, max }) {
      const sign = { start: element.end, end };
      const greed = raw.endsWith('?') && raw.length > 1 + element.raw.length ? '?' : '';
      if (max === Number.POSITIVE_INFINITY) addWith(sign, (min === 0 ? '+' : '*') + greed);
      else if (min === 0 && max === 1) addWith(sign, '');
      else addWith(sign, `{${min},${max + 1}}${greed}`);
    },
  });
  if (flags.ignoreCase) addWith(flags, flags.raw.replace('i', ''));
  others.delete(literal);
  return [...others].filter(isPattern);
}

/** Returns whether a literal is one: a group that is gone may be named elsewhere. */
function isPattern(literal: string): boolean {
  if (literal.startsWith('//')) return false;
  const end = literal.lastIndexOf('/');
  try {
    new RegExp(literal.slice(1, end), literal.slice(end + 1));
    return true;
  } catch {
    return false;
  }
}

/** Whether a string is a value that the code depends on, and not a text for people. */
function isValue({ text }: ts.StringLiteral): boolean {
  return text !== '' && !/\s/.test(text);
}

/** Returns whether an expression is the name of a property. */
function isKey(node: ts.Expression): boolean {
  return ts.isPropertyAssignment(node.parent) && node.parent.name === node;
}
