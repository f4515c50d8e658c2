import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { parseContractAbi } from "@keyhearth/crypto/transactions/abi";
import { type AbiValue, decodeCall } from "@keyhearth/crypto/transactions/abi-call";
import { type Fact, type KnownInterface, parsed, type Reading, tokens } from "./reading.ts";

export type Call = Reading;

/** How the chain writes the 20 bytes of an address. */
type Writer = (bytes: Uint8Array) => string;

/**
 * What a call of a contract asks for: by an interface that the organization has, otherwise of a token, or as bytes. The functions of
 * tokens are those of collectibles too, and only an interface says which of them the contract has.
 */
export function readCall(
  { contract, data }: { contract: string; data: Uint8Array },
  addressOf: Writer,
  known?: KnownInterface,
): Call {
  const token = tokenCall(data, addressOf);
  const named = known && byInterface({ contract, data }, addressOf, known);
  // Names that somebody uploaded say what is meant, and take away no warning.
  if (named) return { ...named, warnings: [...named.warnings, ...(token?.risks ?? [])] };
  if (!token) return unread(contract, data);
  const { title, risks, doubts } = token;
  return {
    title,
    facts: [...token.facts, { name: "Token contract", value: contract, isMono: true }],
    warnings: [...risks, ...doubts],
    isUnread: false,
  };
}

function unread(contract: string, data: Uint8Array): Call {
  const hex = encodeHex(data);
  return {
    title: "Calls a contract",
    facts: [
      { name: "Contract", value: contract, isMono: true },
      { name: "Function", value: `0x${hex.slice(0, 8)}`, isMono: true, isMinor: true },
      { name: "Call data", value: `0x${hex}`, isMono: true },
    ],
    warnings: ["This page cannot tell what this call does. Compare the call data with its source."],
    isUnread: true,
  };
}

type TokenCall = Pick<Call, "title" | "facts"> & {
  /** What holds whatever the contract is. */
  risks: readonly string[];
  /** What only an interface could settle. */
  doubts: readonly string[];
};

function tokenCall(data: Uint8Array, addressOf: Writer): TokenCall | undefined {
  const selector = encodeHex(data.subarray(0, 4));
  // A word of an address has 12 bytes of zeros.
  const words = Array.from({ length: (data.length - 4) / 32 }, (_, at) =>
    data.subarray(4 + 32 * at, 36 + 32 * at),
  );
  if (data.length !== 4 + 32 * words.length) return undefined;
  const addresses = words.slice(0, -1);
  if (!addresses.every((word) => word.subarray(0, 12).every((byte) => byte === 0)))
    return undefined;
  const [first, second] = addresses.map((word) => addressOf(word.subarray(12)));
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const amount = BigInt(`0x${encodeHex(last)}`);
  const isStrong = true;
  if (selector === TRANSFER && words.length === 2) {
    return {
      title: "A payment of a token",
      facts: [
        { name: "To", value: first, isMono: true },
        { name: "Tokens", value: tokens(amount), isStrong },
      ],
      ...{ risks: [], doubts: [] },
    };
  }
  if (selector === TRANSFER_FROM && words.length === 3 && second !== undefined) {
    return {
      title: "Moves tokens of an account",
      facts: [
        { name: "From", value: first, isMono: true },
        { name: "To", value: second, isMono: true },
        { name: "Tokens", value: orCollectible(tokens(amount), amount), isStrong },
      ],
      risks: [],
      doubts: [`${DOUBT} the whole of that collectible is moved.`],
    };
  }
  if (selector !== APPROVE || words.length !== 2) return undefined;
  const isUnlimited = amount >= 1n << 255n;
  return {
    title: "Lets somebody else spend a token",
    facts: [
      { name: "Who may spend", value: first, isMono: true },
      {
        name: "Tokens",
        value: orCollectible(isUnlimited ? "without a limit" : tokens(amount), amount),
        isStrong,
      },
    ],
    risks: isUnlimited ? ["The spender can take all of these tokens, now and later."] : [],
    doubts: [`${DOUBT} the spender can take the whole of that collectible.`],
  };
}

/** Of ERC-20, which other chains have too. */
const TRANSFER = "a9059cbb";
/** Of ERC-20 and of ERC-721, where the last argument is not an amount but which collectible it is. */
const TRANSFER_FROM = "23b872dd";
const APPROVE = "095ea7b3";

const DOUBT =
  "This page cannot tell whether the contract is of a token or of collectibles (NFTs). If it is of collectibles,";

function orCollectible(tokens: string, number: bigint): string {
  return `${tokens}, or the collectible number ${number}`;
}

/** Undefined if the interface has no such function. */
function byInterface(
  { contract, data }: { contract: string; data: Uint8Array },
  addressOf: Writer,
  known: KnownInterface,
): Call | undefined {
  const abi = parsed(known, parseContractAbi);
  const call = abi && decodeCall(abi, data);
  if (!call) return undefined;
  const facts: Fact[] = [
    { name: "Contract", value: contract, isMono: true },
    { name: "Function", value: call.functionName, isStrong: true },
  ];
  const rest: Fact[] = [
    { name: "Call data", value: `0x${encodeHex(data)}`, isMono: true, isMinor: true },
  ];
  const readBy = [known.label];
  if (call.kind === "undecodable") {
    return {
      title: "Calls a contract",
      facts: [...facts, ...rest],
      warnings: [`The arguments of ${call.functionName} cannot be read: ${call.reason}.`],
      ...{ isUnread: true, readBy },
    };
  }
  return {
    title: `Calls ${call.functionName} of a contract`,
    facts: [
      ...facts,
      ...call.arguments.map(({ name, value }, at) => ({
        name: name === "" ? `Argument ${at + 1}` : `Argument ${name}`,
        value: written(value, addressOf),
        isMono: value.kind === "address" || value.kind === "bytes",
      })),
      ...rest,
    ],
    warnings:
      call.suffix.length > 0
        ? [`${call.suffix.length} bytes follow the arguments, which contracts usually ignore.`]
        : [],
    ...{ isUnread: false, readBy },
  };
}

function written(value: AbiValue, addressOf: Writer): string {
  switch (value.kind) {
    case "address":
      return addressOf(value.bytes);
    case "bytes":
      return `0x${encodeHex(value.bytes)}`;
    case "uint":
    case "int":
      return value.value.toLocaleString("en");
    case "bool":
      return value.value ? "yes" : "no";
    case "string":
      return `“${value.text}”`;
    case "array":
    case "tuple":
      return `[${value.items.map((item) => written(item, addressOf)).join(", ")}]`;
  }
}
