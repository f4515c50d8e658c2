import type { Expression } from "./ast.ts";

/** The expression as text in its plainest form; parsing it gives the same tree again. */
export function print(expression: Expression): string {
  switch (expression.kind) {
    case "bool":
    case "int":
      return String(expression.value);
    case "string":
      return `'${expression.value}'`;
    case "name":
      return expression.name;
    case "list":
      return `[${printAll(expression.items)}]`;
    case "struct": {
      const members = expression.members.map(({ name, value }) => `${name}: ${print(value)}`);
      return `{ ${members.join(", ")} }`;
    }
    case "or":
      return expression.operands.map((operand) => printTighter(operand, AND)).join(" || ");
    case "and":
      return expression.operands.map((operand) => printTighter(operand, COMPARE)).join(" && ");
    case "compare": {
      const { left, operator, right } = expression;
      return `${printTighter(left, UNARY)} ${operator} ${printTighter(right, UNARY)}`;
    }
    case "not":
      return `!${printTighter(expression.operand, UNARY)}`;
    case "field":
      return `${printTighter(expression.object, POSTFIX)}.${expression.name}`;
    case "index":
      return `${printTighter(expression.object, POSTFIX)}[${print(expression.index)}]`;
    case "slice": {
      const { object, from, to } = expression;
      return `${printTighter(object, POSTFIX)}[${print(from)}..${print(to)}]`;
    }
    case "call":
      return `${expression.name}(${printAll(expression.arguments)})`;
    case "method": {
      const { object, name } = expression;
      return `${printTighter(object, POSTFIX)}.${name}(${printAll(expression.arguments)})`;
    }
    case "quantifier": {
      const { object, name, variable, predicate } = expression;
      return `${printTighter(object, POSTFIX)}.${name}(${variable}, ${print(predicate)})`;
    }
  }
}

const OR = 0;
const AND = 1;
const COMPARE = 2;
const UNARY = 3;
const POSTFIX = 4;

function printTighter(expression: Expression, minimum: number) {
  return tightness(expression) < minimum ? `(${print(expression)})` : print(expression);
}

function tightness(expression: Expression) {
  if (expression.kind === "or") return OR;
  if (expression.kind === "and") return AND;
  if (expression.kind === "compare") return COMPARE;
  if (expression.kind === "not") return UNARY;
  if (expression.kind === "int" && expression.value < 0n) return UNARY;
  return POSTFIX;
}

function printAll(expressions: readonly Expression[]) {
  return expressions.map(print).join(", ");
}
