import { parse } from "@babel/parser";
import {
  type Expression,
  type FunctionDeclaration,
  type Node,
  type ObjectExpression,
  traverse,
} from "@babel/types";
import { filled, type Returns, type Scope, textsOf, tidy, VALUE } from "./texts.ts";

/** A message in the source, and the code that it comes with. `START` is that of a start that is refused. */
export type SourceMessage = { code: string; text: string };

/** A function that makes an error: the texts and the codes, with marks for its parameters. */
type Maker = { texts: string[]; codes: string[] };

/** The makers of a file, and those that other files export. A function of the file hides one of the same name. */
type Makers = { own: Map<string, Maker | null>; exported: Map<string, Maker> };

const CODE = /^[A-Z]+(_[A-Z]+)*$/;

/** These errors have no code: they end a start, or a command of the signer. */
const START_ERRORS = [
  ...["StartError", "ConfigError", "SettingError", "CourierKeyError"],
  ...["CourierStartError", "SignerStateError", "SetupError"],
];

/** What launchers write before they end. */
const PROGRAM = /^keyhearth: /;

const SCHEMA_RULES = ["refine", "min", "max", "length", "regex", "nonempty"];

/** Reads the messages of all errors that the sources make, directly or by functions that make errors. */
export function readMessages(sources: readonly string[]): SourceMessage[] {
  const files = sources.map((source) =>
    parse(source, { sourceType: "module", plugins: ["typescript", "jsx", "importAttributes"] }),
  );
  const shared = new Map(files.flatMap((file) => [...constantsOf(file)].filter(isShared)));
  const returned: Returns = new Map(files.flatMap((file) => [...exportedReturns(file, shared)]));
  const exported = new Map<string, Maker>();
  const makers = files.map((file): Makers => ({ own: functionsOf(file), exported }));
  let found: SourceMessage[] = [];
  // A function that makes an error may call another one.
  for (let round = 0; round < 3; round++) {
    found = files.flatMap((file, i) => readFile(file, { shared, returned }, makers[i] as Makers));
  }
  const kept = new Map(found.map((each) => [`${each.code} ${each.text}`, each]));
  return [...kept.values()].filter(({ text }) => saysSomething(text));
}

function readFile(
  file: Node,
  { shared, returned }: { shared: ReadonlyMap<string, Expression>; returned: Returns },
  makers: Makers,
): SourceMessage[] {
  const found: SourceMessage[] = [];
  const constants = new Map([...shared, ...constantsOf(file)]);
  const returns: Returns = new Map([...returned, ...returnsOf(file, shared)]);
  traverse(file, (node, ancestors) => {
    if (!mayMake(node, makers)) return;
    const nodes = ancestors.map((each) => each.node);
    const maker = makerOf(nodes);
    const scope: Scope = {
      parameters: maker?.parameters ?? new Map(),
      constants: within(nodes, constants),
      returns,
    };
    for (const { texts, codes } of madeBy(node, nodes, scope, makers)) {
      note(maker, { texts, codes }, makers);
      for (const code of codes.filter((each) => CODE.test(each))) {
        for (const text of filled(texts, () => [VALUE])) found.push({ code, text: tidy(text) });
      }
    }
  });
  return found;
}

/** A named function whose parameters are in the message makes errors for those who call it. */
function note(maker: Named | undefined, made: Maker, { own, exported }: Makers) {
  const isOpen = [...made.texts, ...made.codes].some((text) => text.includes("\u0000"));
  if (maker === undefined || !isOpen) return;
  own.set(maker.name, made);
  if (maker.isExported) exported.set(maker.name, made);
}

function findMaker(name: string, { own, exported }: Makers): Maker | undefined {
  return own.has(name) ? (own.get(name) ?? undefined) : exported.get(name);
}

function madeBy(node: Node, nodes: readonly Node[], scope: Scope, makers: Makers): Maker[] {
  if (node.type === "NewExpression" && node.callee.type === "Identifier") {
    return madeByClass(node.callee.name, node.arguments, scope);
  }
  if (node.type !== "CallExpression") return [];
  const { callee } = node;
  const args = node.arguments;
  if (callee.type === "Super") {
    const parent = nodes.findLast((each) => each.type === "ClassDeclaration")?.superClass;
    const isStart = parent?.type === "Identifier" && START_ERRORS.includes(parent.name);
    return isStart ? [{ texts: textsOf(args[0], scope), codes: ["START"] }] : [];
  }
  if (callee.type === "MemberExpression" && callee.property.type === "Identifier") {
    if (callee.property.name === "write") {
      const written = textsOf(args[0], scope).filter((text) => PROGRAM.test(text));
      const texts = written.map((text) => text.replace(PROGRAM, "").trimEnd());
      return texts.length === 0 ? [] : [{ texts, codes: ["START"] }];
    }
    if (!SCHEMA_RULES.includes(callee.property.name)) return [];
    const texts = textsOf(args.at(-1), scope).filter((text) => text.includes(" "));
    return args.length === 0 || texts.length === 0 ? [] : [{ texts, codes: ["FIELD_INVALID"] }];
  }
  const maker = callee.type === "Identifier" ? findMaker(callee.name, makers) : undefined;
  if (!maker) return [];
  const given = (index: number) => (args[index] ? textsOf(args[index], scope) : [VALUE]);
  const codes = filled(maker.codes, given).map((code) => (code === VALUE ? "FIELD_INVALID" : code));
  return [{ texts: filled(maker.texts, given), codes }];
}

function madeByClass(name: string, args: readonly Node[], scope: Scope): Maker[] {
  if (START_ERRORS.includes(name)) return [{ texts: textsOf(args[0], scope), codes: ["START"] }];
  // Its sentence begins with the path of the file.
  if (name === "RefusedFileError") {
    return [{ texts: textsOf(args[1], scope).map((text) => `${VALUE} ${text}`), codes: ["START"] }];
  }
  if (name === "ApiError" || name === "TryLater") {
    return [{ texts: textsOf(args[2], scope), codes: textsOf(args[1], scope) }];
  }
  const code = memberOf(args[1], "code", scope);
  return code ? [{ texts: textsOf(args[0], scope), codes: textsOf(code, scope) }] : [];
}

/** The value of a member of an object that is written here, or in a constant. */
function memberOf(node: Node | undefined, name: string, scope: Scope): Node | undefined {
  const value = node?.type === "Identifier" ? scope.constants.get(node.name) : node;
  if (value?.type !== "ObjectExpression") return undefined;
  return propertiesOf(value).get(name);
}

function propertiesOf({ properties }: ObjectExpression): Map<string, Node> {
  return new Map(
    properties.flatMap((each) =>
      each.type === "ObjectProperty" && each.key.type === "Identifier"
        ? [[each.key.name, each.value] as const]
        : [],
    ),
  );
}

/** Most nodes make nothing, and what surrounds them need not be known. */
function mayMake(node: Node, makers: Makers): boolean {
  if (node.type === "NewExpression") return node.arguments.length > 0;
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "Identifier") return findMaker(callee.name, makers) !== undefined;
  if (callee.type === "Super") return true;
  const { property } = callee.type === "MemberExpression" ? callee : {};
  return property?.type === "Identifier" && [...SCHEMA_RULES, "write"].includes(property.name);
}

/** A constant of other files: their names tell them from values that only look the same. */
function isShared([name, value]: readonly [string, Expression]): boolean {
  return /^[A-Z_]+$/.test(name) && /^(StringLiteral|TemplateLiteral)$/.test(value.type);
}

function isFunction(node: Node): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod)$/.test(
    node.type,
  );
}

type Named = { name: string; isExported: boolean; parameters: Map<string, number> };

/** The function that a node is in, if the function has a name: its declaration's, or that of the constant. */
function makerOf(nodes: readonly Node[]): Named | undefined {
  const at = nodes.findLastIndex(isFunction);
  const [within, maker] = [nodes[at - 1], nodes[at]];
  if (maker?.type === "FunctionDeclaration" && maker.id) {
    const isExported = within?.type === "ExportNamedDeclaration";
    return { name: maker.id.name, isExported, parameters: parametersOf(maker.params) };
  }
  if (maker?.type !== "ArrowFunctionExpression" || within?.type !== "VariableDeclarator") return;
  if (within.id.type !== "Identifier") return;
  const parameters = parametersOf(maker.params);
  return { name: within.id.name, isExported: false, parameters };
}

/** Every function that a file declares, before it is known what it makes. */
function functionsOf(file: Node): Map<string, null> {
  const names = new Map<string, null>();
  traverse(file, (node) => {
    if (node.type === "FunctionDeclaration" && node.id) names.set(node.id.name, null);
  });
  return names;
}

function parametersOf(params: FunctionDeclaration["params"]): Map<string, number> {
  return new Map(
    params.flatMap((param, index) => {
      const named = param.type === "AssignmentPattern" ? param.left : param;
      return named.type === "Identifier" ? [[named.name, index] as const] : [];
    }),
  );
}

function within(nodes: readonly Node[], constants: ReadonlyMap<string, Expression>) {
  const blocks = nodes.filter(({ type }) => type === "BlockStatement");
  const own = blocks.flatMap((block) => [...constantsOf(block)]);
  return own.length === 0 ? constants : new Map([...constants, ...own]);
}

/** What the functions that a file exports return. */
function exportedReturns(file: Node, shared: ReadonlyMap<string, Expression>): Returns {
  const body = file.type === "File" ? file.program.body : [];
  const names = body.flatMap((each) =>
    each.type === "ExportNamedDeclaration" && each.declaration?.type === "FunctionDeclaration"
      ? [each.declaration.id?.name]
      : [],
  );
  return new Map([...returnsOf(file, shared)].filter(([name]) => names.includes(name)));
}

/** What each function of a file returns, without what functions inside of it return. */
function returnsOf(file: Node, shared: ReadonlyMap<string, Expression>): Returns {
  const constants = new Map([...shared, ...constantsOf(file)]);
  const returns = new Map<string, { nodes: Node[]; constants: ReadonlyMap<string, Expression> }>();
  traverse(file, (node, ancestors) => {
    if (node.type !== "ReturnStatement" || !node.argument) return;
    if (node.argument.type === "NullLiteral") return;
    const within = ancestors.map((each) => each.node).findLast(isFunction);
    const name = within?.type === "FunctionDeclaration" ? within.id?.name : undefined;
    if (name === undefined) return;
    const known = returns.get(name)?.nodes ?? [];
    returns.set(name, { nodes: [...known, node.argument], constants });
  });
  return returns;
}

/** The constants that a file or a block declares itself. */
function constantsOf(node: Node): Map<string, Expression> {
  const body =
    node.type === "File" ? node.program.body : node.type === "BlockStatement" ? node.body : [];
  const declarations = body.flatMap((each) => {
    const declared = each.type === "ExportNamedDeclaration" ? each.declaration : each;
    return declared?.type === "VariableDeclaration" && declared.kind === "const"
      ? declared.declarations
      : [];
  });
  return new Map(
    declarations.flatMap(({ id, init }) =>
      id.type === "Identifier" && init ? [[id.name, init] as const] : [],
    ),
  );
}

/** Not only values, and words enough to be looked for. */
function saysSomething(text: string): boolean {
  const words = text.match(/[a-z]{3,}/gi) ?? [];
  return words.length >= 2;
}
