import { rootOfKind, rootsSaidBy } from "../../chains/facts.ts";
import { kindOf } from "../../logic/satisfiability.ts";
import { ACTIVITY_PARAMS } from "../../schema.ts";
import { type Literal, valuesTold } from "./literals.ts";
import type { Read } from "./reads.ts";

// What requests of some activities always have, so that reading it is not an error.

/** What the activities that a case names always have. */
export function isImplied({ path }: Read, literals: readonly Literal[]): boolean {
  const told = (key: string) => {
    const values = literals.flatMap((literal) =>
      literal.key === key ? [valuesTold(literal)] : [],
    );
    return values.find((each) => each)?.map(String);
  };
  const kinds = told("activity.kind") ?? told("activity.type")?.map(kindOf);
  const param = /^activity\.params\.(\w+)$/.exec(path)?.[1];
  if (param !== undefined) {
    // The parameters of activities that are not listed are not known here.
    if (kinds) return kinds.every((kind) => alwaysHas(kind, param) !== false);
    return literals.some(({ key, isNegative }) => {
      const other = /^activity\.params\.(\w+)/.exec(key)?.[1];
      return other !== undefined && !isNegative && isBesides(param, other);
    });
  }
  const isAlwaysOf = (kind: string) => {
    return rootOfKind.get(kind) === path || ALWAYS.get(kind)?.includes(path);
  };
  if (kinds?.every(isAlwaysOf)) return true;
  const types = told("activity.params.type");
  if (types?.every((type) => TYPES.get(type) === path)) return true;
  const encodings = told("activity.params.encoding");
  if (encodings?.every((encoding) => ENCODINGS.get(encoding) === path)) return true;
  return path === "wallet" && literals.some(({ key }) => key.startsWith("wallet_account."));
}

/** Whether activities that have one parameter always have the other. */
function isBesides(param: string, other: string): boolean {
  const kinds = Object.keys(ACTIVITY_PARAMS).filter((kind) => {
    return Object.hasOwn(paramsOf(kind) ?? {}, other);
  });
  return kinds.length > 0 && kinds.every((kind) => alwaysHas(kind, param));
}

/** Undefined for a kind whose parameters are not known. */
function alwaysHas(kind: string, param: string): boolean | undefined {
  const params = paramsOf(kind);
  if (!params) return undefined;
  return Object.hasOwn(params, param) && !params[param]?.isOptional;
}

function paramsOf(kind: string) {
  return Object.hasOwn(ACTIVITY_PARAMS, kind) ? ACTIVITY_PARAMS[kind] : undefined;
}

const ALWAYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["EXPORT_WALLET", ["wallet"]],
  [
    "EXPORT_WALLET_ACCOUNT",
    ["wallet", "wallet_account", "wallet_account.path_indexes", "wallet_account.path_hardened"],
  ],
  ["EXPORT_PRIVATE_KEY", ["private_key"]],
  ["EXPORT_SECRETS", ["secret"]],
  ["DELETE_WALLETS", ["wallets"]],
]);

const TYPES = rootsSaidBy("type");
const ENCODINGS = rootsSaidBy("encoding");
