import { kindOf } from "../../logic/hold.ts";
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
  if (kinds?.every((kind) => ALWAYS.get(kind)?.includes(path))) return true;
  const types = told("activity.params.type");
  if (types?.every((type) => TRANSACTION_TYPES.get(type) === path)) return true;
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
  ["ETH_SEND_TRANSACTION", ["eth.tx"]],
  ["SOL_SEND_TRANSACTION", ["solana.tx"]],
  ["EXPORT_WALLET", ["wallet"]],
  [
    "EXPORT_WALLET_ACCOUNT",
    ["wallet", "wallet_account", "wallet_account.path_indexes", "wallet_account.path_hardened"],
  ],
  ["EXPORT_PRIVATE_KEY", ["private_key"]],
  ["EXPORT_SECRETS", ["secret"]],
  ["DELETE_WALLETS", ["wallets"]],
]);

const TRANSACTION_TYPES: ReadonlyMap<string, string> = new Map([
  ["TRANSACTION_TYPE_ETHEREUM", "eth.tx"],
  ["TRANSACTION_TYPE_SOLANA", "solana.tx"],
  ["TRANSACTION_TYPE_TRON", "tron.tx"],
  ["TRANSACTION_TYPE_BITCOIN", "bitcoin.tx"],
  ["TRANSACTION_TYPE_TEMPO", "tempo.tx"],
]);

const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ["PAYLOAD_ENCODING_EIP712", "eth.eip_712"],
  ["PAYLOAD_ENCODING_EIP7702_AUTHORIZATION", "eth.eip_7702_authorization"],
]);
