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

/** Reads an expression. Throws a PolicyError that points to the first place that is wrong. */
export function parse(source: string): Expression {
  const tokens = tokenize(source);
  const depths = new Map<Expression, number>();
  let position = 0;
  let nesting = 0;

  const expression = parseExpression();
  if (peek().kind !== "end") {
    throw unexpected("an operator or the end of the expression", peek(), ["&&", "||", "in"]);
  }
  return expression;

  function parseExpression(): Expression {
    return nested(() => parseChain("or", "||", () => parseChain("and", "&&", parseComparison)));
  }

  function parseChain(kind: "and" | "or", symbol: string, parseOperand: () => Expression) {
    const { start } = peek();
    const first = parseOperand();
    if (!isSymbol(symbol)) return first;
    const operands = [first];
    while (takeIf(symbol)) operands.push(parseOperand());
    return build({ kind, operands, ...spanFrom(start) });
  }

  function parseComparison(): Expression {
    const { start } = peek();
    const left = parseUnary();
    const operator = takeOperator();
    if (!operator) return left;
    const right = parseUnary();
    const next = peek();
    if (operatorOf(next)) {
      throw problem(next, "comparisons do not chain: join two of them with `&&`", "`&&` or `||`");
    }
    return build({ kind: "compare", operator, left, right, ...spanFrom(start) });
  }

  function parseUnary(): Expression {
    const { start } = peek();
    if (takeIf("!")) {
      const operand = nested(parseUnary);
      return build({ kind: "not", operand, ...spanFrom(start) });
    }
    if (takeIf("-")) {
      const digits = peek();
      if (digits.kind !== "int") throw unexpected("digits after `-`", digits);
      position++;
      return integer(`-${digits.text}`, spanFrom(start));
    }
    return parsePostfix();
  }

  function parsePostfix(): Expression {
    const { start } = peek();
    let object = parsePrimary();
    for (;;) {
      if (takeIf(".")) object = parseMember(object, start);
      else if (takeIf("[")) object = parseBrackets(object, start);
      else return object;
    }
  }

  function parseMember(object: Expression, start: number): Expression {
    const token = takeName("the name of a field or function");
    const { text: name } = token;
    const nameSpan = spanOf(token);
    if (!takeIf("(")) return build({ kind: "field", object, name, nameSpan, ...spanFrom(start) });
    if (isQuantifier(name)) {
      const variable = takeName(`a name for the elements, as in \`${name}(x, x == 1)\``).text;
      take(",", `\`,\` and a predicate, as in \`${name}(x, x == 1)\``);
      const predicate = parseExpression();
      take(")");
      return build({
        kind: "quantifier",
        object,
        name,
        variable,
        predicate,
        ...spanFrom(start),
      });
    }
    const values = parseList(")");
    return build({
      kind: "method",
      object,
      name,
      nameSpan,
      arguments: values,
      ...spanFrom(start),
    });
  }

  function parseBrackets(object: Expression, start: number): Expression {
    const index = parseExpression();
    if (!takeIf("..")) {
      take("]", "`]` or `..`");
      return build({ kind: "index", object, index, ...spanFrom(start) });
    }
    const to = parseExpression();
    take("]");
    return build({ kind: "slice", object, from: index, to, ...spanFrom(start) });
  }

  function parsePrimary(): Expression {
    const token = peek();
    const { start, text } = token;
    if (token.kind === "int") {
      position++;
      return integer(text, spanOf(token));
    }
    if (token.kind === "string") {
      position++;
      return build({ kind: "string", value: text, ...spanOf(token) });
    }
    if (token.kind === "name" && (text === "true" || text === "false")) {
      position++;
      return build({ kind: "bool", value: text === "true", ...spanOf(token) });
    }
    if (token.kind === "name" && text !== "in") {
      position++;
      if (!takeIf("(")) return build({ kind: "name", name: text, ...spanOf(token) });
      const values = parseList(")");
      return build({
        kind: "call",
        name: text,
        nameSpan: spanOf(token),
        arguments: values,
        ...spanFrom(start),
      });
    }
    if (takeIf("[")) {
      const items = parseList("]");
      return build({ kind: "list", items, ...spanFrom(start) });
    }
    if (takeIf("{")) {
      const members = [parseStructMember()];
      while (takeIf(",")) members.push(parseStructMember());
      take("}", "`,` or `}`");
      return build({ kind: "struct", members, ...spanFrom(start) });
    }
    if (takeIf("(")) {
      const inner = parseExpression();
      take(")");
      return inner;
    }
    throw unexpected("a value", token);
  }

  function parseStructMember(): Member {
    const { start } = peek();
    const name = takeName("the name of a field").text;
    take(":");
    return { name, value: parseExpression(), ...spanFrom(start) };
  }

  function parseList(close: string): Expression[] {
    if (takeIf(close)) return [];
    const items = [parseExpression()];
    while (takeIf(",")) items.push(parseExpression());
    take(close, `\`,\` or \`${close}\``);
    return items;
  }

  function integer(text: string, span: Span): Expression {
    const value = BigInt(text);
    if (value < MIN_INT || value > MAX_UINT) {
      throw problem(span, "this number does not fit: -2^127 to 2^256 - 1", "a smaller number");
    }
    return build({ kind: "int", value, ...span });
  }

  /** Counts the levels the parser is inside, so that no text can exhaust the stack. */
  function nested(parseInner: () => Expression): Expression {
    if (++nesting > MAX_DEPTH) throw tooDeep(peek());
    const inner = parseInner();
    nesting--;
    return inner;
  }

  /** Counts the levels of the tree; the checker and evaluator recurse over it. */
  function build(node: Expression): Expression {
    let depth = 0;
    for (const child of childrenOf(node)) depth = Math.max(depth, depths.get(child) ?? 0);
    if (depth >= MAX_DEPTH) throw tooDeep(node);
    depths.set(node, depth + 1);
    return node;
  }

  function peek(): Token {
    // Invariant: the end token is never consumed, so there is always a token.
    return tokens[position] as Token;
  }

  function isSymbol(symbol: string) {
    const token = peek();
    return token.kind === "symbol" && token.text === symbol;
  }

  function takeIf(symbol: string) {
    if (!isSymbol(symbol)) return false;
    position++;
    return true;
  }

  function take(symbol: string, expected = `\`${symbol}\``) {
    if (!takeIf(symbol)) throw unexpected(expected, peek());
  }

  function takeName(expected: string) {
    const token = peek();
    if (token.kind !== "name" || RESERVED.has(token.text)) throw unexpected(expected, token);
    position++;
    return token;
  }

  function takeOperator() {
    const operator = operatorOf(peek());
    if (operator) position++;
    return operator;
  }

  function spanFrom(start: number): Span {
    return { start, end: tokens[position - 1]?.end ?? start };
  }

  function unexpected(expected: string, token: Token, near?: string[]) {
    const found = token.kind === "end" ? "the end" : quote(source.slice(token.start, token.end));
    const suggestion = token.kind === "name" ? wordOperator(token.text, near) : undefined;
    return problem(token, `expected ${expected}, found ${found}`, expected, suggestion);
  }

  function tooDeep(span: Span) {
    return problem(
      span,
      `the expression is nested deeper than ${MAX_DEPTH} levels`,
      "a flatter expression",
    );
  }

  function problem(span: Span, message: string, expected: string, suggestion?: string) {
    return new PolicyError({
      code: "POLICY_PARSE",
      message,
      source,
      span: spanOf(span),
      expected,
      suggestion,
    });
  }
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
