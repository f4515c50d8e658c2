import type { Expression, Member, Operator, Quantifier, Span } from "./ast.ts";
import { childrenOf } from "./ast.ts";
import { nearest, PolicyError, quote } from "./errors.ts";
import { MAX_DEPTH, MAX_UINT, MIN_INT } from "./limits.ts";
import { type Token, tokenize } from "./tokens.ts";

// policy      = expression , END ;
// expression  = conjunction , { "||" , conjunction } ;
// conjunction = comparison , { "&&" , comparison } ;
// comparison  = unary , [ ( "==" | "!=" | "<" | ">" | "<=" | ">=" | "in" ) , unary ] ;
// unary       = "!" , unary | "-" , INT | postfix ;
// postfix     = primary , { "." , NAME
//                         | "." , ( "all" | "any" | "filter" ) , "(" , NAME , "," , expression , ")"
//                         | "." , NAME , "(" , [ list ] , ")"
//                         | "[" , expression , [ ".." , expression ] , "]" } ;
// primary     = INT | STRING | "true" | "false" | NAME
//             | NAME , "(" , [ list ] , ")"
//             | "[" , [ list ] , "]"
//             | "{" , NAME , ":" , expression , { "," , NAME , ":" , expression } , "}"
//             | "(" , expression , ")" ;
// list        = expression , { "," , expression } ;
// NAME        = ( letter | "_" ) , { letter | digit | "_" } ;  except "true", "false", "in"
// INT         = digit , { digit } ;                            -2^127 to 2^256 - 1
// STRING      = "'" , { any character but "'" } , "'" ;
//
// Letters and digits are those of ASCII. Blanks, tabs and line ends separate tokens and mean
// nothing else. There are no comments and no escapes.

/** Where in a text the parser is. */
type Cursor = {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** Levels of the trees that were built. */
  readonly depths: Map<Expression, number>;
  position: number;
  nesting: number;
};

/** Reads an expression. Throws a PolicyError that points to the first place that is wrong. */
export function parse(source: string): Expression {
  const tokens = tokenize(source);
  const cursor: Cursor = { source, tokens, depths: new Map(), position: 0, nesting: 0 };
  const expression = parseExpression(cursor);
  const next = peek(cursor);
  if (next.kind !== "end") {
    const expected = "an operator or the end of the expression";
    throw unexpected(cursor, expected, next, ["&&", "||", "in"]);
  }
  return expression;
}

function parseExpression(cursor: Cursor): Expression {
  const parseConjunction = () => parseChain(cursor, "and", "&&", parseComparison);
  return nested(cursor, () => parseChain(cursor, "or", "||", parseConjunction));
}

function parseChain(
  cursor: Cursor,
  kind: "and" | "or",
  symbol: string,
  parseOperand: (cursor: Cursor) => Expression,
) {
  const { start } = peek(cursor);
  const first = parseOperand(cursor);
  if (!isSymbol(cursor, symbol)) return first;
  const operands = [first];
  while (takeIf(cursor, symbol)) operands.push(parseOperand(cursor));
  return build(cursor, { kind, operands, ...spanFrom(cursor, start) });
}

function parseComparison(cursor: Cursor): Expression {
  const { start } = peek(cursor);
  const left = parseUnary(cursor);
  const operator = takeOperator(cursor);
  if (!operator) return left;
  const right = parseUnary(cursor);
  const next = peek(cursor);
  if (operatorOf(next)) {
    throw problem(
      cursor,
      next,
      "comparisons do not chain: join two of them with `&&`",
      "`&&` or `||`",
    );
  }
  return build(cursor, { kind: "compare", operator, left, right, ...spanFrom(cursor, start) });
}

function parseUnary(cursor: Cursor): Expression {
  const { start } = peek(cursor);
  if (takeIf(cursor, "!")) {
    const operand = nested(cursor, parseUnary);
    return build(cursor, { kind: "not", operand, ...spanFrom(cursor, start) });
  }
  if (takeIf(cursor, "-")) {
    const digits = peek(cursor);
    if (digits.kind !== "int") throw unexpected(cursor, "digits after `-`", digits);
    cursor.position++;
    return integer(cursor, `-${digits.text}`, spanFrom(cursor, start));
  }
  return parsePostfix(cursor);
}

function parsePostfix(cursor: Cursor): Expression {
  const { start } = peek(cursor);
  let object = parsePrimary(cursor);
  for (;;) {
    if (takeIf(cursor, ".")) object = parseMember(cursor, object, start);
    else if (takeIf(cursor, "[")) object = parseBrackets(cursor, object, start);
    else return object;
  }
}

function parseMember(cursor: Cursor, object: Expression, start: number): Expression {
  const token = takeName(cursor, "the name of a field or function");
  const { text: name } = token;
  const nameSpan = spanOf(token);
  if (!takeIf(cursor, "("))
    return build(cursor, { kind: "field", object, name, nameSpan, ...spanFrom(cursor, start) });
  if (isQuantifier(name)) {
    const variable = takeName(cursor, `a name for the elements, as in \`${name}(x, x == 1)\``).text;
    take(cursor, ",", `\`,\` and a predicate, as in \`${name}(x, x == 1)\``);
    const predicate = parseExpression(cursor);
    take(cursor, ")");
    return build(cursor, {
      kind: "quantifier",
      object,
      name,
      variable,
      predicate,
      ...spanFrom(cursor, start),
    });
  }
  const values = parseList(cursor, ")");
  return build(cursor, {
    kind: "method",
    object,
    name,
    nameSpan,
    arguments: values,
    ...spanFrom(cursor, start),
  });
}

function parseBrackets(cursor: Cursor, object: Expression, start: number): Expression {
  const index = parseExpression(cursor);
  if (!takeIf(cursor, "..")) {
    take(cursor, "]", "`]` or `..`");
    return build(cursor, { kind: "index", object, index, ...spanFrom(cursor, start) });
  }
  const to = parseExpression(cursor);
  take(cursor, "]");
  return build(cursor, { kind: "slice", object, from: index, to, ...spanFrom(cursor, start) });
}

function parsePrimary(cursor: Cursor): Expression {
  const token = peek(cursor);
  const { start, text } = token;
  if (token.kind === "int") {
    cursor.position++;
    return integer(cursor, text, spanOf(token));
  }
  if (token.kind === "string") {
    cursor.position++;
    return build(cursor, { kind: "string", value: text, ...spanOf(token) });
  }
  if (token.kind === "name" && (text === "true" || text === "false")) {
    cursor.position++;
    return build(cursor, { kind: "bool", value: text === "true", ...spanOf(token) });
  }
  if (token.kind === "name" && text !== "in") {
    cursor.position++;
    if (!takeIf(cursor, "(")) return build(cursor, { kind: "name", name: text, ...spanOf(token) });
    const values = parseList(cursor, ")");
    return build(cursor, {
      kind: "call",
      name: text,
      nameSpan: spanOf(token),
      arguments: values,
      ...spanFrom(cursor, start),
    });
  }
  if (takeIf(cursor, "[")) {
    const items = parseList(cursor, "]");
    return build(cursor, { kind: "list", items, ...spanFrom(cursor, start) });
  }
  if (takeIf(cursor, "{")) {
    const members = [parseStructMember(cursor)];
    while (takeIf(cursor, ",")) members.push(parseStructMember(cursor));
    take(cursor, "}", "`,` or `}`");
    return build(cursor, { kind: "struct", members, ...spanFrom(cursor, start) });
  }
  if (takeIf(cursor, "(")) {
    const inner = parseExpression(cursor);
    take(cursor, ")");
    return inner;
  }
  throw unexpected(cursor, "a value", token);
}

function parseStructMember(cursor: Cursor): Member {
  const { start } = peek(cursor);
  const name = takeName(cursor, "the name of a field").text;
  take(cursor, ":");
  return { name, value: parseExpression(cursor), ...spanFrom(cursor, start) };
}

function parseList(cursor: Cursor, close: string): Expression[] {
  if (takeIf(cursor, close)) return [];
  const items = [parseExpression(cursor)];
  while (takeIf(cursor, ",")) items.push(parseExpression(cursor));
  take(cursor, close, `\`,\` or \`${close}\``);
  return items;
}

function integer(cursor: Cursor, text: string, span: Span): Expression {
  const value = BigInt(text);
  if (value < MIN_INT || value > MAX_UINT) {
    throw problem(
      cursor,
      span,
      "this number does not fit: -2^127 to 2^256 - 1",
      "a smaller number",
    );
  }
  return build(cursor, { kind: "int", value, ...span });
}

/** Counts the levels the parser is inside, so that no text can exhaust the stack. */
function nested(cursor: Cursor, parseInner: (cursor: Cursor) => Expression): Expression {
  if (++cursor.nesting > MAX_DEPTH) throw tooDeep(cursor, peek(cursor));
  const inner = parseInner(cursor);
  cursor.nesting--;
  return inner;
}

/** Counts the levels of the tree; the checker and evaluator recurse over it. */
function build(cursor: Cursor, node: Expression): Expression {
  let depth = 0;
  for (const child of childrenOf(node)) depth = Math.max(depth, cursor.depths.get(child) ?? 0);
  if (depth >= MAX_DEPTH) throw tooDeep(cursor, node);
  cursor.depths.set(node, depth + 1);
  return node;
}

function peek(cursor: Cursor): Token {
  // Invariant: the end token is never consumed, so there is always a token.
  return cursor.tokens[cursor.position] as Token;
}

function isSymbol(cursor: Cursor, symbol: string) {
  const token = peek(cursor);
  return token.kind === "symbol" && token.text === symbol;
}

function takeIf(cursor: Cursor, symbol: string) {
  if (!isSymbol(cursor, symbol)) return false;
  cursor.position++;
  return true;
}

function take(cursor: Cursor, symbol: string, expected = `\`${symbol}\``) {
  if (!takeIf(cursor, symbol)) throw unexpected(cursor, expected, peek(cursor));
}

function takeName(cursor: Cursor, expected: string) {
  const token = peek(cursor);
  if (token.kind !== "name" || RESERVED.has(token.text)) throw unexpected(cursor, expected, token);
  cursor.position++;
  return token;
}

function takeOperator(cursor: Cursor) {
  const operator = operatorOf(peek(cursor));
  if (operator) cursor.position++;
  return operator;
}

function spanFrom(cursor: Cursor, start: number): Span {
  return { start, end: cursor.tokens[cursor.position - 1]?.end ?? start };
}

function unexpected(cursor: Cursor, expected: string, token: Token, near?: string[]) {
  const found =
    token.kind === "end" ? "the end" : quote(cursor.source.slice(token.start, token.end));
  const suggestion = token.kind === "name" ? wordOperator(token.text, near) : undefined;
  return problem(cursor, token, `expected ${expected}, found ${found}`, expected, suggestion);
}

function tooDeep(cursor: Cursor, span: Span) {
  return problem(
    cursor,
    span,
    `the expression is nested deeper than ${MAX_DEPTH} levels`,
    "a flatter expression",
  );
}

function problem(
  cursor: Cursor,
  span: Span,
  message: string,
  expected: string,
  suggestion?: string,
) {
  return new PolicyError({
    code: "POLICY_PARSE",
    message,
    source: cursor.source,
    span: spanOf(span),
    expected,
    suggestion,
  });
}

const RESERVED = new Set(["true", "false", "in"]);
const OPERATORS = new Set<string>(["==", "!=", "<", ">", "<=", ">="] satisfies Operator[]);
const WORDS = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
]);

function operatorOf({ kind, text }: Token): Operator | undefined {
  const isOperator =
    (kind === "symbol" && OPERATORS.has(text)) || (kind === "name" && text === "in");
  // The set holds exactly the operators that are symbols.
  return isOperator ? (text as Operator) : undefined;
}

function isQuantifier(name: string): name is Quantifier {
  return name === "all" || name === "any" || name === "filter";
}

function wordOperator(word: string, near: string[] = []) {
  return WORDS.get(word.toLowerCase()) ?? nearest(word, near);
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}
