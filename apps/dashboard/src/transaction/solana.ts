import { encodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { parseAnchorIdl } from "@keyhearth/crypto/transactions/anchor-idl";
import {
  type AnchorValue,
  decodeAnchorInstruction,
} from "@keyhearth/crypto/transactions/anchor-idl-call";
import { decodeSolanaTransaction } from "@keyhearth/crypto/transactions/solana";
import { mostSolanaFee } from "@keyhearth/crypto/transactions/solana-fee";
import { decodeKnownInstruction } from "@keyhearth/crypto/transactions/solana-instructions";
import { coins, type Fact, type KnownInterface, parsed, type Reading, tokens } from "./reading.ts";

/** It only sets the fee. */
const BUDGET = "ComputeBudget111111111111111111111111111111";

type Instruction = {
  name: string;
  program: string;
  accounts: readonly string[];
  data: Uint8Array;
  where: string;
};

type Read = {
  facts: Fact[];
  kind: "payment" | "tokens" | "call" | "unread" | "fee";
  readBy?: string;
};

export function readSolana(bytes: Uint8Array, known: readonly KnownInterface[]): Reading {
  const transaction = decodeSolanaTransaction(bytes);
  const { accountKeys, addressTableLookups, recentBlockhash } = transaction;
  const read = instructionsOf(transaction).map((each) => ({ ...each, ...readOne(each, known) }));
  const done = read.filter(({ kind }) => kind !== "fee");
  const unread = done.filter(({ kind }) => kind === "unread").map(({ name }) => name);
  const readBy = [...new Set(done.flatMap((each) => each.readBy ?? []))];
  const isPayment =
    done.length > 0 && done.every(({ kind }) => kind === "payment" || kind === "tokens");
  return {
    title: !isPayment
      ? "A transaction of Solana"
      : done.some(({ kind }) => kind === "payment")
        ? "A payment"
        : "A payment of a token",
    facts: [
      ...done.flatMap(({ facts }) => facts),
      {
        name: "Fee",
        value: `at most ${coins(mostSolanaFee(transaction), 9, "SOL")}, paid by ${encodeBase58(accountKeys[0] ?? new Uint8Array())}`,
      },
      {
        name: "Recent blockhash",
        value: encodeBase58(recentBlockhash),
        isMono: true,
        isMinor: true,
      },
    ],
    warnings: [
      ...(addressTableLookups.length > 0
        ? ["Some of its accounts are in lookup tables, which its bytes do not have."]
        : []),
      ...(unread.length > 0
        ? [`This page cannot tell what this does: ${unread.join(", ")}. Look at its programs.`]
        : []),
    ],
    isUnread: unread.length > 0,
    ...(readBy.length > 0 && { readBy }),
  };
}

/** The programs that it calls, which may have interfaces. */
export function programsOfSolana(bytes: Uint8Array): string[] {
  return instructionsOf(decodeSolanaTransaction(bytes)).map(({ program }) => program);
}

function instructionsOf({
  accountKeys,
  instructions,
}: ReturnType<typeof decodeSolanaTransaction>): Instruction[] {
  const keys = accountKeys.map((key) => encodeBase58(key));
  const keyAt = (index: number) => keys[index] ?? "an account of a lookup table";
  return instructions.map(({ programIndex, accountIndexes, data }, at) => ({
    name: `Instruction ${at + 1}`,
    where: `instruction ${at + 1}`,
    program: keyAt(programIndex),
    accounts: Array.from(accountIndexes, keyAt),
    data,
  }));
}

function readOne(instruction: Instruction, interfaces: readonly KnownInterface[]): Read {
  const { name, program, accounts, data, where } = instruction;
  // Throws what the signer says if an instruction of a base program is malformed.
  const known = decodeKnownInstruction({ program, data, accountCount: accounts.length, where });
  if (program === BUDGET) return { kind: "fee", facts: [] };
  if (!known) {
    const own = interfaces.find(({ smartContractAddress }) => smartContractAddress === program);
    const shown = `of the program ${program}, with the data 0x${encodeHex(data)}`;
    return (
      (own && byInterface(instruction, own)) ?? {
        kind: "unread",
        facts: [{ name, value: shown, isMono: true }],
      }
    );
  }
  const { transfer } = known;
  if (!transfer) {
    return { kind: "unread", facts: [{ name, value: `${known.name} of the program ${program}` }] };
  }
  const accountAt = (index: number) => accounts[index] ?? "";
  const from = accountAt(transfer.from);
  const to = accountAt(transfer.to);
  if (transfer.kind === "lamports") {
    return {
      kind: "payment",
      facts: [
        { name: "From", value: from, isMono: true },
        { name: "To", value: to, isMono: true },
        { name: "Amount", value: coins(transfer.amount, 9, "SOL"), isStrong: true },
      ],
    };
  }
  return {
    kind: "tokens",
    facts: [
      { name: "From token account", value: from, isMono: true },
      { name: "To token account", value: to, isMono: true },
      { name: "Tokens", value: tokens(transfer.amount), isStrong: true },
      ...(transfer.mint === undefined
        ? []
        : [{ name: "Token", value: accountAt(transfer.mint), isMono: true }]),
    ],
  };
}

/** Undefined if the interface has no such instruction. */
function byInterface(
  { name, program, accounts, data }: Instruction,
  known: KnownInterface,
): Read | undefined {
  const idl = parsed(known, parseAnchorIdl);
  const read = idl && decodeAnchorInstruction(idl, data, accounts);
  if (!read) return undefined;
  const what = { name, value: `${read.instructionName} of the program ${program}`, isStrong: true };
  if (read.kind === "undecodable") {
    const why = { name: `${name}, arguments`, value: `cannot be read: ${read.reason}` };
    return { kind: "unread", facts: [what, why], readBy: known.label };
  }
  return {
    kind: "call",
    facts: [
      what,
      ...read.arguments.map(({ name: argument, value }) => ({
        name: `${name}, argument ${argument}`,
        value: written(value),
      })),
      ...read.namedAccounts.map(({ name: role, accountKey }) => ({
        ...{ name: `${name}, account ${role}`, value: accountKey, isMono: true },
      })),
    ],
    readBy: known.label,
  };
}

function written(value: AnchorValue): string {
  switch (value.kind) {
    case "bool":
      return value.value ? "yes" : "no";
    case "uint":
    case "int":
      return value.value.toLocaleString("en");
    case "string":
      return value.text;
    case "list":
      return `[${value.items.map(written).join(", ")}]`;
    case "struct":
      return `{ ${value.fields.map(({ name, value: inner }) => `${name}: ${written(inner)}`).join(", ")} }`;
    case "none":
      return "none";
  }
}
