import fc from "fast-check";
import type { AbiFunction, TransactionSerializable } from "viem";

import { checksumAddress } from "../addresses/ethereum.ts";
import { encodeHex } from "../encoding/bytes.ts";
import type { AbiValue } from "./abi-call.ts";
import type { EthereumTransaction } from "./ethereum.ts";

// Generated transactions, calls and typed data: as viem takes them, and as we must read them.

type Hex = `0x${string}`;

export function hex(bytes: Uint8Array): Hex {
  return `0x${encodeHex(bytes)}`;
}

/** Integers of all lengths with equal probability, and the edge cases of each length. */
function unsigned(bits: number): fc.Arbitrary<bigint> {
  return fc.integer({ min: 0, max: bits }).chain((n) => fc.bigInt(0n, 2n ** BigInt(n) - 1n));
}

export function bytesOfLength(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

const address = bytesOfLength(20);
const chainId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const payment = fc.record({
  nonce: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  gas: unsigned(64),
  value: unsigned(256),
  data: fc.oneof(fc.uint8Array({ maxLength: 80 }), bytesOfLength(300)),
});

const accessList = fc.array(
  fc.record({ address, storageKeys: fc.array(bytesOfLength(32), { maxLength: 3 }) }),
  { maxLength: 3 },
);

const feeMarket = fc
  .record({ chainId, accessList, tip: unsigned(255), rest: unsigned(255) })
  .map(({ tip, rest, ...others }) => ({
    ...others,
    maxPriorityFeePerGas: tip,
    maxFeePerGas: tip + rest,
  }));

const authorization = fc.record({
  chainId: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  address,
  nonce: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  yParity: fc.constantFrom<0 | 1>(0, 1),
  r: unsigned(255).filter((r) => r > 0n),
  s: unsigned(254).filter((s) => s > 0n),
});

type Sample = { given: TransactionSerializable; expected: EthereumTransaction };

type Payment = {
  nonce: number;
  gas: bigint;
  value: bigint;
  data: Uint8Array;
  to: Uint8Array | null;
};

type AccessList = { address: Uint8Array; storageKeys: Uint8Array[] }[];

function givenPayment({ nonce, gas, value, data, to }: Payment) {
  return { nonce, gas, value, data: hex(data), to: to === null ? null : hex(to) };
}

function givenAccess(list: AccessList) {
  return list.map((entry) => ({
    address: hex(entry.address),
    storageKeys: entry.storageKeys.map(hex),
  }));
}

/** An unsigned transaction of any type. */
export const transactionSample: fc.Arbitrary<Sample> = fc.oneof(
  fc
    .record({
      p: payment,
      to: optional(address),
      chain: optional(chainId),
      gasPrice: unsigned(256),
    })
    .map(({ p, to, chain, gasPrice }): Sample => {
      const id = chain === null ? {} : { chainId: chain };
      return {
        given: { type: "legacy", ...givenPayment({ ...p, to }), gasPrice, ...id },
        expected: {
          type: "LEGACY",
          ...p,
          nonce: BigInt(p.nonce),
          to,
          gasPrice,
          chainId: chain === null ? null : BigInt(chain),
        },
      };
    }),
  fc
    .record({ p: payment, to: optional(address), chainId, gasPrice: unsigned(256), accessList })
    .map(
      ({ p, to, chainId, gasPrice, accessList }): Sample => ({
        given: {
          type: "eip2930",
          ...givenPayment({ ...p, to }),
          gasPrice,
          chainId,
          accessList: givenAccess(accessList),
        },
        expected: {
          type: "TYPE_1",
          ...p,
          nonce: BigInt(p.nonce),
          to,
          gasPrice,
          chainId: BigInt(chainId),
          accessList,
        },
      }),
    ),
  fc.record({ p: payment, to: optional(address), fees: feeMarket }).map(
    ({ p, to, fees }): Sample => ({
      given: {
        type: "eip1559",
        ...givenPayment({ ...p, to }),
        ...fees,
        accessList: givenAccess(fees.accessList),
      },
      expected: {
        type: "TYPE_2",
        ...p,
        ...fees,
        nonce: BigInt(p.nonce),
        to,
        chainId: BigInt(fees.chainId),
      },
    }),
  ),
  fc
    .record({
      p: payment,
      to: address,
      fees: feeMarket,
      maxFeePerBlobGas: unsigned(256),
      hashes: fc.array(
        bytesOfLength(31).map((rest) => Uint8Array.of(1, ...rest)),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .map(
      ({ p, to, fees, maxFeePerBlobGas, hashes }): Sample => ({
        given: {
          type: "eip4844",
          ...givenPayment({ ...p, to }),
          to: hex(to),
          ...fees,
          accessList: givenAccess(fees.accessList),
          maxFeePerBlobGas,
          blobVersionedHashes: hashes.map(hex),
        },
        expected: {
          type: "TYPE_3",
          ...p,
          ...fees,
          nonce: BigInt(p.nonce),
          to,
          chainId: BigInt(fees.chainId),
          maxFeePerBlobGas,
          blobVersionedHashes: hashes,
        },
      }),
    ),
  fc
    .record({
      p: payment,
      to: address,
      fees: feeMarket,
      list: fc.array(authorization, { minLength: 1, maxLength: 3 }),
    })
    .map(
      ({ p, to, fees, list }): Sample => ({
        given: {
          type: "eip7702",
          ...givenPayment({ ...p, to }),
          ...fees,
          accessList: givenAccess(fees.accessList),
          authorizationList: list.map((entry) => ({
            ...entry,
            address: hex(entry.address),
            r: hex32(entry.r),
            s: hex32(entry.s),
          })),
        },
        expected: {
          type: "TYPE_4",
          ...p,
          ...fees,
          nonce: BigInt(p.nonce),
          to,
          chainId: BigInt(fees.chainId),
          authorizationList: list.map((entry) => ({
            ...entry,
            chainId: BigInt(entry.chainId),
            nonce: BigInt(entry.nonce),
          })),
        },
      }),
    ),
);

function hex32(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

// Types of Solidity, with their values as viem takes them and as we must read them.

type Leaf =
  | { kind: "uint" | "int" | "bytesN"; size: number }
  | { kind: "address" | "bool" | "string" | "bytes" };
type Tree =
  | Leaf
  | { kind: "array"; element: Tree; length: number | null }
  | { kind: "tuple"; components: Tree[] };

export type Parameter = { name: string; type: string; components?: Parameter[] };

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({
    kind: fc.constantFrom<"uint" | "int">("uint", "int"),
    size: fc.integer({ min: 1, max: 32 }).map((n) => 8 * n),
  }),
  fc.record({ kind: fc.constant("bytesN" as const), size: fc.integer({ min: 1, max: 32 }) }),
  fc.record({
    kind: fc.constantFrom<"address" | "bool" | "string" | "bytes">(
      "address",
      "bool",
      "string",
      "bytes",
    ),
  }),
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      kind: fc.constant("array" as const),
      element: tie("tree"),
      length: optional(fc.integer({ min: 1, max: 3 })),
    }),
    fc.record({
      kind: fc.constant("tuple" as const),
      components: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

function parameterOf(type: Tree, name: string): Parameter {
  switch (type.kind) {
    case "array": {
      const element = parameterOf(type.element, name);
      return { ...element, type: `${element.type}[${type.length ?? ""}]` };
    }
    case "tuple":
      return {
        name,
        type: "tuple",
        components: type.components.map((component, i) => parameterOf(component, `c${i}`)),
      };
    default:
      return { name, type: leafName(type) };
  }
}

function leafName(type: Leaf): string {
  if (type.kind === "bytesN") return `bytes${type.size}`;
  return "size" in type ? `${type.kind}${type.size}` : type.kind;
}

function canonicalName(type: Tree): string {
  switch (type.kind) {
    case "array":
      return `${canonicalName(type.element)}[${type.length ?? ""}]`;
    case "tuple":
      return `(${type.components.map(canonicalName).join(",")})`;
    default:
      return leafName(type);
  }
}

/** Text of any code points. */
const text = fc.string({ unit: "binary", maxLength: 40 });

type Pair = { given: unknown; expected: AbiValue };

function valueFor(tree: Tree): fc.Arbitrary<Pair> {
  const type = canonicalName(tree);
  switch (tree.kind) {
    case "uint":
      return unsigned(tree.size).map((value) => ({
        given: value,
        expected: { kind: "uint", type, value },
      }));
    case "int":
      return unsigned(tree.size).map((magnitude) => {
        const value = BigInt.asIntN(tree.size, magnitude);
        return { given: value, expected: { kind: "int", type, value } };
      });
    case "bytesN":
      return bytesOfLength(tree.size).map((bytes) => ({
        given: hex(bytes),
        expected: { kind: "bytes", type, bytes },
      }));
    case "bytes":
      return fc.uint8Array({ maxLength: 70 }).map((bytes) => ({
        given: hex(bytes),
        expected: { kind: "bytes", type, bytes },
      }));
    case "address":
      return address.map((bytes) => ({
        given: hex(bytes),
        expected: { kind: "address", type, bytes },
      }));
    case "bool":
      return fc
        .boolean()
        .map((value) => ({ given: value, expected: { kind: "bool", type, value } }));
    case "string":
      return text.map((value) => ({
        given: value,
        expected: { kind: "string", type, text: value },
      }));
    case "array":
      return fc
        .array(valueFor(tree.element), {
          minLength: tree.length ?? 0,
          maxLength: tree.length ?? 3,
        })
        .map((items) => sequence("array", type, items));
    case "tuple":
      return fc
        .tuple(...tree.components.map(valueFor))
        .map((items) => sequence("tuple", type, items));
  }
}

function sequence(kind: "array" | "tuple", type: string, items: Pair[]): Pair {
  return {
    given: items.map((item) => item.given),
    expected: { kind, type, items: items.map((item) => item.expected) },
  };
}

/** A function, its arguments, and how we must read them. */
export const callSample = fc.array(tree, { maxLength: 4 }).chain((types) =>
  fc.tuple(...types.map(valueFor)).map((values) => {
    const inputs = types.map((type, i) => parameterOf(type, `p${i}`));
    const called = {
      type: "function",
      name: "called",
      inputs,
      outputs: [],
      stateMutability: "payable",
    } as AbiFunction; // members that viem types by literals
    return {
      called,
      signature: `called(${types.map(canonicalName).join(",")})`,
      given: values.map((value) => value.given),
      expected: inputs.map(({ name }, i) => ({ name, value: values[i]?.expected })),
    };
  }),
);

/** A decoded argument as viem takes it. */
export function argumentOf(value: AbiValue): unknown {
  switch (value.kind) {
    case "array":
    case "tuple":
      return value.items.map(argumentOf);
    case "address":
    case "bytes":
      return hex(value.bytes);
    case "string":
      return value.text;
    default:
      return value.value;
  }
}

// Typed data as JSON. Struct `T0` is the primary type. Every other struct is used by an earlier
// one.

export type TypedDataJson = {
  types: Record<string, { name: string; type: string }[]>;
  primaryType: string;
  domain: Record<string, unknown>;
  message: Record<string, unknown>;
};

const lengths = fc.array(optional(fc.integer({ min: 1, max: 2 })), { maxLength: 2 });

const structs = fc
  .array(fc.array(fc.tuple(leaf, lengths), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((own) =>
    fc.record({
      own: fc.constant(own),
      users: fc.tuple(...own.slice(1).map((_, i) => fc.tuple(fc.nat({ max: i }), lengths))),
    }),
  )
  .map(({ own, users }) => {
    const types: TypedDataJson["types"] = {};
    for (const [i, members] of own.entries()) {
      types[`T${i}`] = members.map(([type, dimensions], k) => ({
        name: `m${k}`,
        type: leafName(type) + brackets(dimensions),
      }));
    }
    for (const [i, [user, dimensions]] of users.entries()) {
      types[`T${user}`]?.push({ name: `s${i + 1}`, type: `T${i + 1}${brackets(dimensions)}` });
    }
    return types;
  });

function brackets(dimensions: (number | null)[]): string {
  return dimensions.map((length) => `[${length ?? ""}]`).join("");
}

function jsonOf(types: TypedDataJson["types"], name: string): fc.Arbitrary<unknown> {
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(name) ?? [];
  if (element !== undefined) {
    return fc.array(jsonOf(types, element), {
      minLength: Number(length),
      maxLength: length ? Number(length) : 2,
    });
  }
  const members = types[name];
  if (members === undefined) return leafJson(name);
  return fc.record(
    Object.fromEntries(members.map((member) => [member.name, jsonOf(types, member.type)])),
  );
}

function leafJson(name: string): fc.Arbitrary<unknown> {
  const [, kind, size] = /^([a-z]+)(\d*)$/.exec(name) ?? [];
  switch (kind) {
    case "uint":
      return unsigned(Number(size)).chain(integerJson);
    case "int":
      return unsigned(Number(size)).chain((n) => integerJson(BigInt.asIntN(Number(size), n)));
    case "bytes":
      return (size ? bytesOfLength(Number(size)) : fc.uint8Array({ maxLength: 70 })).map(hex);
    case "address":
      return address.chain((bytes) =>
        fc.constantFrom<string>(hex(bytes), checksumAddress(encodeHex(bytes))),
      );
    case "bool":
      return fc.boolean();
    default:
      return text;
  }
}

function integerJson(value: bigint): fc.Arbitrary<unknown> {
  const forms: unknown[] = [value.toString()];
  if (value >= 0n) forms.push(`0x${value.toString(16)}`);
  if (Number.isSafeInteger(Number(value))) forms.push(Number(value));
  return fc.constantFrom(...forms);
}

const DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
];

// If viem derives the domain type, it leaves out an empty version.
const fullDomain = fc.record({
  name: text,
  version: text.filter((version) => version !== ""),
  chainId: fc.nat(),
  verifyingContract: address.map(hex),
  salt: bytesOfLength(32).map(hex),
});

export const typedDataSample: fc.Arbitrary<TypedDataJson> = fc
  .record({
    types: structs,
    domain: fullDomain,
    used: fc.subarray(DOMAIN, { minLength: 1 }),
    isDeclared: fc.boolean(),
  })
  .chain(({ types, domain, used, isDeclared }) =>
    jsonOf(types, "T0").map((message) => ({
      types: isDeclared ? { EIP712Domain: used, ...types } : types,
      primaryType: "T0",
      domain: Object.fromEntries(used.map(({ name }) => [name, domain[name as "name"]])),
      message: message as Record<string, unknown>, // T0 is a struct
    })),
  );
