import fc from "fast-check";
import { utils } from "tronweb";
import { expect, test } from "vitest";

import { encodeBase58Check } from "../addresses/base58check.ts";
import { tronAddress } from "../addresses/tron.ts";
import { concatBytes, decodeHex, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { publicKeyOf, signSecp256k1 } from "../keys/keys.ts";
import { MalformedError } from "./malformed.ts";
import { encodeBytesField } from "./protobuf.ts";
import { fuzz } from "./solana-fuzz.testing.ts";
import {
  decodeTronTransaction,
  encodeSignedTronTransaction,
  type TronTransaction,
  tronSigningDigest,
} from "./tron.ts";
import type { TronPermission } from "./tron-contracts.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 10_000 : 200;
const fuzzMs = isLong ? 600_000 : 2_000;
const timeout = isLong ? 1_200_000 : 60_000;

// The JSON of transactions, as nodes give it, with hex for bytes and addresses.

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(encodeHex);
const address = bytes(20).map((hex) => `41${hex}`);
// tronweb's numbers are exact up to here.
const amount = fc.oneof(fc.nat(), fc.maxSafeNat());
const small = fc.nat({ max: 1_000_000 });
const resource = fc.constantFrom("BANDWIDTH", "ENERGY", "TRON_POWER");
const keys = fc.array(fc.record({ address, weight: fc.integer({ min: 1, max: 100 }) }), {
  maxLength: 5,
});
const permission = (type: number, id: number) =>
  fc.record({
    type: fc.constant(type),
    id: fc.constant(id),
    permission_name: fc.string({ unit: "grapheme", maxLength: 12 }),
    threshold: fc.integer({ min: 1, max: 10 }),
    keys,
    ...(type === 2 && { operations: bytes(32) }),
  });

const values: { [type: string]: fc.Arbitrary<Record<string, unknown>> } = {
  TransferContract: fc.record({ owner_address: address, to_address: address, amount }),
  TriggerSmartContract: fc.record({
    owner_address: address,
    contract_address: address,
    data: fc.uint8Array({ maxLength: 200 }).map(encodeHex),
    call_value: amount,
    call_token_value: amount,
    token_id: small,
  }),
  FreezeBalanceV2Contract: fc.record({ owner_address: address, frozen_balance: amount, resource }),
  UnfreezeBalanceV2Contract: fc.record({
    owner_address: address,
    unfreeze_balance: amount,
    resource,
  }),
  DelegateResourceContract: fc.record({
    owner_address: address,
    receiver_address: address,
    balance: amount,
    resource,
    lock: fc.boolean(),
    lock_period: small,
  }),
  UnDelegateResourceContract: fc.record({
    owner_address: address,
    receiver_address: address,
    balance: amount,
    resource,
  }),
  AccountPermissionUpdateContract: fc.record({
    owner_address: address,
    owner: permission(0, 0),
    witness: permission(1, 1),
    actives: fc.array(permission(2, 2), { minLength: 1, maxLength: 3 }),
  }),
};

const sample = fc
  .record({
    type: fc.constantFrom(...Object.keys(values)),
    ref_block_bytes: bytes(2),
    ref_block_hash: bytes(8),
    expiration: amount,
    timestamp: amount,
    fee_limit: small,
    data: fc.uint8Array({ maxLength: 40 }).map(encodeHex),
    Permission_id: fc.nat({ max: 9 }),
  })
  .chain(({ type, Permission_id, ...raw }) =>
    (values[type] ?? fc.constant({})).map((value) => ({
      visible: false,
      raw_data: { ...raw, contract: [{ type, parameter: { value }, Permission_id }] },
    })),
  );

type Sample = typeof sample extends fc.Arbitrary<infer T> ? T : never;

function rawOf(given: Sample): Uint8Array {
  return decodeHex(utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb(given)));
}

/** What we read, in the JSON of nodes, with the defaults that they leave out. */
function jsonOf({ contract, ...transaction }: TronTransaction) {
  const { action } = contract;
  const common = { owner_address: encodeHex(contract.ownerAddress) };
  const fieldsOf = () => {
    switch (action.kind) {
      case "transfer":
        return { to_address: encodeHex(action.toAddress), amount: Number(action.amount) };
      case "call":
        return {
          contract_address: encodeHex(action.contractAddress),
          data: encodeHex(action.data),
          call_value: Number(action.callValue),
          call_token_value: Number(action.callTokenValue),
          token_id: Number(action.tokenId),
        };
      case "freeze":
        return { frozen_balance: Number(action.balance), resource: action.resource };
      case "unfreeze":
        return { unfreeze_balance: Number(action.balance), resource: action.resource };
      case "delegate":
      case "undelegate":
        return {
          receiver_address: encodeHex(action.receiverAddress),
          balance: Number(action.balance),
          resource: action.resource,
          ...(action.kind === "delegate" && {
            lock: action.lock,
            lock_period: Number(action.lockPeriod),
          }),
        };
      case "permissions":
        return {
          owner: action.owner && permissionOf(action.owner),
          witness: action.witness && permissionOf(action.witness),
          actives: action.actives.map(permissionOf),
        };
    }
  };
  return {
    visible: false,
    raw_data: {
      ref_block_bytes: encodeHex(transaction.refBlockBytes),
      ref_block_hash: encodeHex(transaction.refBlockHash),
      expiration: Number(transaction.expiration),
      timestamp: Number(transaction.timestamp),
      fee_limit: Number(transaction.feeLimit),
      data: encodeHex(transaction.data),
      contract: [
        {
          type: contract.type,
          parameter: { value: { ...common, ...fieldsOf() } },
          Permission_id: Number(contract.permissionId),
        },
      ],
    },
  };
}

function permissionOf(given: TronPermission) {
  const type = ["Owner", "Witness", "Active"].indexOf(given.type);
  return {
    type,
    id: Number(given.id),
    permission_name: given.permissionName,
    threshold: Number(given.threshold),
    keys: given.keys.map(({ address, weight }) => {
      return { address: encodeHex(address), weight: Number(weight) };
    }),
    ...(given.parentId > 0n && { parentId: Number(given.parentId) }),
    ...(given.operations.length > 0 && { operations: encodeHex(given.operations) }),
  };
}

test("transactions are read as tronweb writes them", { timeout }, () => {
  const types = new Set<string>();
  fc.assert(
    fc.property(sample, (given) => {
      const transaction = decodeTronTransaction(rawOf(given));
      expect(jsonOf(transaction)).toEqual(given);
      types.add(transaction.contract.type);
    }),
    { numRuns },
  );
  expect(types.size).toBe(Object.keys(values).length);
});

test("signatures are those of tronweb, and the result is what nodes take", { timeout }, () => {
  const privateKeys = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => key[0] !== 0);
  fc.assert(
    fc.property(sample, privateKeys, (given, privateKey) => {
      const raw = rawOf(given);
      const transaction = decodeTronTransaction(raw);
      const digest = tronSigningDigest(transaction);
      const signature = signSecp256k1(digest, privateKey);
      const signed = encodeSignedTronTransaction(transaction, signature);
      const pb = utils.transaction.txJsonToPb(given);
      const txID = utils.transaction.txPbToTxID(pb).replace(/^0x/, "");
      expect(encodeHex(digest)).toBe(txID);
      const other = utils.crypto.signTransaction(encodeHex(privateKey), { txID } as never);
      const [theirs = ""] = (other as { signature: string[] }).signature;
      pb.addSignature(decodeHex(theirs));
      expect(encodeHex(signed)).toBe(encodeHex(pb.serializeBinary()));
      const publicKey = publicKeyOf("CURVE_SECP256K1", privateKey);
      expect(utils.address.fromHex(utils.crypto.ecRecover(txID, theirs))).toBe(
        tronAddress(publicKey),
      );
    }),
    { numRuns: numRuns / 4 },
  );
});

const field = encodeBytesField;
const varint = (number: number, ...value: number[]) => Uint8Array.of(number << 3, ...value);
const owner = decodeHex(`41${"11".repeat(20)}`);
const receiver = decodeHex(`41${"22".repeat(20)}`);
const url = (name: string) => field(1, encodeUtf8(`type.googleapis.com/protocol.${name}`));

/** A transfer whose parts can be replaced. */
function transfer({
  head = concatBytes(field(1, new Uint8Array(2)), field(4, new Uint8Array(8)), varint(8, 1)),
  type = varint(1, 1),
  typeUrl = url("TransferContract"),
  value = concatBytes(field(1, owner), field(2, receiver), varint(3, 5)),
  after = new Uint8Array(0),
  tail = new Uint8Array(0),
}: {
  [part: string]: Uint8Array;
} = {}): Uint8Array {
  const parameter = field(2, concatBytes(typeUrl, field(2, value)));
  return concatBytes(head, field(11, concatBytes(type, parameter, after)), tail);
}

test("the largest amount is exact", () => {
  const max = varint(3, ...new Array(8).fill(0xff), 0x7f);
  const value = concatBytes(field(1, owner), field(2, receiver), max);
  const { action } = decodeTronTransaction(transfer({ value })).contract;
  expect(action).toMatchObject({ kind: "transfer", amount: 2n ** 63n - 1n });
  expect(decodeTronTransaction(transfer()).contract).toMatchObject({ ownerAddress: owner });
});

const addressed = (address: Uint8Array) => concatBytes(field(1, owner), field(2, address));

test.each<[string, Uint8Array, string]>([
  ["nothing", new Uint8Array(0), "raw_data_hex: 0 contracts, expected 1"],
  ["an unknown field", transfer({ tail: varint(19, 1) }), "raw_data_hex: field 19 is unknown"],
  ["a field that nodes do not use", transfer({ tail: field(12, owner) }), "field 12 is unknown"],
  [
    "a field of another wire type",
    transfer({ value: concatBytes(field(1, owner), field(2, receiver), field(3, owner)) }),
    "TransferContract: amount has wire type 2, expected 0",
  ],
  [
    "fields in another order",
    transfer({ value: concatBytes(field(2, receiver), field(1, owner)) }),
    "owner_address comes after a field with a higher number",
  ],
  [
    "a field twice",
    transfer({ value: concatBytes(field(1, owner), field(1, owner), field(2, receiver)) }),
    "owner_address appears twice",
  ],
  [
    "two contracts",
    concatBytes(transfer(), transfer({ head: new Uint8Array(0) })),
    "raw_data_hex: 2 contracts, expected 1",
  ],
  [
    "a number with needless bytes",
    transfer({ value: concatBytes(addressed(receiver), varint(3, 0x85, 0)) }),
    "amount is written with needless bytes",
  ],
  [
    "a default value that is written",
    transfer({ value: concatBytes(addressed(receiver), varint(3, 0)) }),
    "amount is 0, which is not written: leave it out",
  ],
  [
    "a negative amount",
    transfer({ value: concatBytes(addressed(receiver), varint(3, ...new Array(9).fill(0xff), 1)) }),
    "amount is negative or too large",
  ],
  [
    "a number of more than 64 bits",
    transfer({ value: concatBytes(addressed(receiver), varint(3, ...new Array(9).fill(0xff), 2)) }),
    "amount has more than 64 bits",
  ],
  [
    "another contract type than the one that its number says",
    transfer({ typeUrl: url("TransferAssetContract") }),
    "type_url is `type.googleapis.com/protocol.Transfer...`, but the contract is a TransferContract",
  ],
  [
    "a contract that policies cannot read",
    transfer({ type: varint(1, 2) }),
    "contract: type 2 cannot be read: expected TransferContract, TriggerSmartContract",
  ],
  ["no type", transfer({ type: new Uint8Array(0) }), "contract: type 0 cannot be read"],
  ["a provider", transfer({ after: field(3, owner) }), "contract: field 3 is unknown"],
  [
    "an address of the old test network",
    transfer({ value: addressed(decodeHex(`a0${"22".repeat(20)}`)) }),
    "TransferContract: to_address is `a02222222222222222222222222222222222222222`, expected 21 bytes that begin with 41",
  ],
  [
    "an Ethereum address",
    transfer({ value: addressed(receiver.subarray(1)) }),
    "to_address is `2222222222222222222222222222222222222222`, expected 21 bytes that begin with 41",
  ],
  ["no recipient", transfer({ value: field(1, owner) }), "to_address is missing"],
  [
    "a reference block of another length",
    transfer({ head: concatBytes(field(1, new Uint8Array(3)), field(4, new Uint8Array(8))) }),
    "raw_data_hex: ref_block_bytes has 3 bytes, expected 2",
  ],
  [
    "the whole transaction",
    concatBytes(field(1, transfer()), field(2, new Uint8Array(65))),
    "raw_data_hex: field 2 is unknown",
  ],
  [
    "an Ethereum transaction",
    decodeHex(
      "02ed0180830f4240843b9aca0082520894d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0",
    ),
    "raw_data_hex: field 0 is unknown",
  ],
  ["a cut transaction", transfer().subarray(0, -1), "takes"],
  ["more after the end", concatBytes(transfer(), Uint8Array.of(0x80)), "is missing"],
])("%s is refused", (_name, raw, problem) => {
  let message = "read";
  try {
    decodeTronTransaction(raw);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedError);
    message = error instanceof Error ? error.message : "";
  }
  expect(message).toContain(problem);
});

test("bytes that change are refused or read as tronweb reads them", { timeout }, () => {
  const parts = [...fc.sample(sample, 100).map(rawOf), transfer()];
  const outcomes = { read: 0, refused: 0 };
  fuzz(
    parts,
    (raw) => {
      let transaction: TronTransaction;
      try {
        transaction = decodeTronTransaction(raw);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedError);
        outcomes.refused++;
        return;
      }
      outcomes.read++;
      // tronweb reads the parts that it would write again. So what it writes is what we have read.
      const json = jsonOf(transaction);
      if (isExact(transaction)) {
        expect(encodeHex(rawOf(json as unknown as Sample))).toBe(encodeHex(raw));
      }
    },
    fuzzMs,
  );
  expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(20);
});

/** Whether tronweb can write it: its numbers are exact up to 2^53, and it writes every permission. */
function isExact(transaction: TronTransaction): boolean {
  const { action } = transaction.contract;
  if (action.kind === "permissions" && !(action.owner && action.witness)) return false;
  let isExact = true;
  JSON.stringify(transaction, (_key, value) => {
    if (typeof value !== "bigint") return value;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) isExact = false;
    return undefined;
  });
  return isExact;
}

test("the address of the samples", () => {
  expect(encodeBase58Check(0x41, owner.subarray(1))).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
});

test("a field of many bytes is written as a field of few", () => {
  const content = new Uint8Array(200_000).fill(7);
  const field = encodeBytesField(1, content);
  expect(encodeHex(field.subarray(0, 5))).toBe("0ac09a0c07");
  expect(field).toHaveLength(4 + content.length);
});
