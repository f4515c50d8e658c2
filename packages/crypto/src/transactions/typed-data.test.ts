import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import { hashTypedData as hashWithViem, serializeTypedData } from "viem";
import { describe, expect, test } from "vitest";

import { keccak256 } from "#primitives";
import { decodeHex, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { signSecp256k1 } from "../keys/keys.ts";
import vectors from "../vectors/ethereum.json" with { type: "json" };
import { hex, type TypedDataJson, typedDataSample } from "./ethereum.testing.ts";
import { MalformedError } from "./malformed.ts";
import { MAX_TYPED_DATA_LENGTH, parseTypedData, type TypedValue } from "./typed-data.ts";
import { assertTypesNotLong, encodeType, hashTypedData, textsOf } from "./typed-data-hash.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 10_000 : 200;
const timeout = isLong ? 600_000 : 30_000;

/** CPU time of this process, because the machine may be busy. */
const cpuMs = () => process.cpuUsage().user / 1000;

const { mail } = vectors;
const account = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826";

const digestOf = (json: string) => hex(hashTypedData(parseTypedData(json)));

/** Generated values do not have the static type that viem requires. */
function viemDigest(typedData: TypedDataJson): string {
  return hashWithViem(typedData as unknown as Parameters<typeof hashWithViem>[0]);
}

/** Typed data of one struct with one member `m`. */
function single(type: string, value: unknown, others: TypedDataJson["types"] = {}): TypedDataJson {
  return {
    types: { T: [{ name: "m", type }], ...others },
    primaryType: "T",
    domain: { name: "Test" },
    message: { m: value },
  };
}

function read(type: string, value: unknown): TypedValue | undefined {
  return parseTypedData(JSON.stringify(single(type, value))).message.members.get("m");
}

describe("digests", () => {
  test("the example of EIP-712", () => {
    const typedData = parseTypedData(JSON.stringify(mail.typedData));
    expect(encodeType(textsOf(typedData.types), "Mail")).toBe(mail.encodedType);
    const digest = hashTypedData(typedData);
    expect(encodeHex(digest)).toBe(mail.digest);
    expect(signSecp256k1(digest, keccak256(encodeUtf8("cow")))).toEqual({
      r: decodeHex(mail.r),
      s: decodeHex(mail.s),
      recovery: mail.recovery,
    });
  });

  test("a struct may have a colon in its name, as in existing protocols", () => {
    const typedData = {
      domain: { name: "HyperliquidSignTransaction", version: "1", chainId: 42161 },
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "chainId", type: "uint256" },
        ],
        "HyperliquidTransaction:UsdSend": [
          { name: "destination", type: "string" },
          { name: "amount", type: "string" },
          { name: "time", type: "uint64" },
        ],
      },
      primaryType: "HyperliquidTransaction:UsdSend",
      message: { destination: "0x5e9e…", amount: "1", time: 1690393044548 },
    };
    const { EIP712Domain: _, ...types } = typedData.types;
    const digest = digestOf(JSON.stringify(typedData));
    expect(digest).toBe(TypedDataEncoder.hash(typedData.domain, types, typedData.message));
  });

  test("of generated typed data are equal to those of viem and ethers", { timeout }, () => {
    fc.assert(
      fc.property(typedDataSample, (typedData) => {
        const digest = digestOf(JSON.stringify(typedData));
        expect(digest).toBe(viemDigest(typedData));
        const { EIP712Domain: _, ...types } = typedData.types;
        expect(digest).toBe(TypedDataEncoder.hash(typedData.domain, types, typedData.message));
      }),
      { numRuns },
    );
  });

  test("are the same for typed data that viem and ethers write", { timeout }, () => {
    fc.assert(
      fc.property(typedDataSample, (typedData) => {
        const { EIP712Domain: _, ...types } = typedData.types;
        const payload = TypedDataEncoder.getPayload(typedData.domain, types, typedData.message);
        expect(digestOf(JSON.stringify(payload))).toBe(viemDigest(typedData));
        // viem writes the domain only if its type is declared.
        if (typedData.types.EIP712Domain === undefined) return;
        const serialized = serializeTypedData(
          typedData as unknown as Parameters<typeof serializeTypedData>[0],
        );
        expect(digestOf(serialized)).toBe(viemDigest(typedData));
      }),
      { numRuns },
    );
  });

  test("are refused for typed data of which viem dropped the domain", () => {
    const domain = { name: "Orders", chainId: 1 };
    const { types, primaryType, message } = single("uint8", 1);
    const typedData = { types, primaryType, message, domain };
    // Without its type among the types, viem signs this domain, but serializes an empty one.
    const serialized = serializeTypedData(
      typedData as unknown as Parameters<typeof serializeTypedData>[0],
    );
    expect(() => parseTypedData(serialized)).toThrow(/^domain: has no members: /);
    expect(digestOf(JSON.stringify(typedData))).toBe(viemDigest(typedData));
  });

  test("of structs that contain themselves end with the message", () => {
    const leaf = { label: "leaf", children: [] };
    const typedData: TypedDataJson = {
      types: {
        Node: [
          { name: "label", type: "string" },
          { name: "children", type: "Node[]" },
        ],
      },
      primaryType: "Node",
      domain: { name: "Trees" },
      message: { label: "root", children: [leaf, { label: "branch", children: [leaf] }] },
    };
    expect(digestOf(JSON.stringify(typedData))).toBe(viemDigest(typedData));
  });

  test("ignore unused structs, and keep the order of the domain's members", () => {
    const base = single("uint8", 1);
    const unused = { ...base, types: { ...base.types, U: [{ name: "x", type: "T[]" }] } };
    expect(digestOf(JSON.stringify(unused))).toBe(digestOf(JSON.stringify(base)));
    const EIP712Domain = [
      { name: "chainId", type: "uint256" },
      { name: "name", type: "string" },
    ];
    const domain = { name: "a", chainId: 1 };
    const reordered = { ...base, types: { ...base.types, EIP712Domain }, domain };
    expect(digestOf(JSON.stringify(reordered))).toBe(viemDigest(reordered));
    expect(digestOf(JSON.stringify(reordered))).not.toBe(
      digestOf(JSON.stringify({ ...base, domain })),
    );
  });
});

describe("parsing", () => {
  test("keeps declared types, and the text that a client sent", () => {
    const typedData = parseTypedData(
      JSON.stringify({
        types: {
          Order: [
            { name: "maker", type: "address" },
            { name: "price", type: "uint256" },
            { name: "size", type: "uint256" },
            { name: "delta", type: "int8" },
            { name: "note", type: "string" },
            { name: "salt", type: "bytes2" },
            { name: "data", type: "bytes" },
            { name: "isOpen", type: "bool" },
            { name: "legs", type: "Leg[1]" },
          ],
          Leg: [{ name: "ids", type: "uint8[][]" }],
        },
        primaryType: "Order",
        domain: {
          name: "Market",
          version: "2",
          chainId: "0x1",
          verifyingContract: account,
          salt: `0x${"0A".repeat(32)}`,
        },
        message: {
          legs: [{ ids: [[1], []] }],
          maker: account.toLowerCase(),
          price: 100,
          size: "100",
          delta: "-5",
          note: "0xAB",
          salt: "0xABcd",
          data: "0x",
          isOpen: false,
        },
      }),
    );
    const salt = new Uint8Array(32).fill(10);
    expect(typedData.domain).toMatchObject({
      name: "Market",
      version: "2",
      chainId: 1n,
      verifyingContract: decodeHex(account.slice(2)),
      salt,
    });
    expect(typedData.primaryType).toBe("Order");
    expect(Array.from(typedData.message.members)).toEqual([
      [
        "maker",
        {
          kind: "address",
          type: "address",
          text: account.toLowerCase(),
          bytes: decodeHex(account.slice(2)),
        },
      ],
      ["price", { kind: "uint", type: "uint256", text: null, value: 100n }],
      ["size", { kind: "uint", type: "uint256", text: "100", value: 100n }],
      ["delta", { kind: "int", type: "int8", text: "-5", value: -5n }],
      ["note", { kind: "string", type: "string", text: "0xAB" }],
      ["salt", { kind: "bytes", type: "bytes2", text: "0xABcd", bytes: Uint8Array.of(0xab, 0xcd) }],
      ["data", { kind: "bytes", type: "bytes", text: "0x", bytes: new Uint8Array(0) }],
      ["isOpen", { kind: "bool", type: "bool", value: false }],
      [
        "legs",
        {
          kind: "array",
          type: "Leg[1]",
          items: [
            {
              kind: "struct",
              type: "Leg",
              members: new Map([
                [
                  "ids",
                  {
                    kind: "array",
                    type: "uint8[][]",
                    items: [
                      {
                        kind: "array",
                        type: "uint8[]",
                        items: [{ kind: "uint", type: "uint8", text: null, value: 1n }],
                      },
                      { kind: "array", type: "uint8[]", items: [] },
                    ],
                  },
                ],
              ]),
            },
          ],
        },
      ],
    ]);
  });

  test("keeps exactly the members of the domain", () => {
    const typedData = { ...single("bool", true), domain: { version: "1" } };
    expect(parseTypedData(JSON.stringify(typedData)).domain).toMatchObject({
      name: null,
      version: "1",
      chainId: null,
      verifyingContract: null,
      salt: null,
    });
  });

  test.each([
    ["uint8", 255, 255n],
    ["uint8", "255", 255n],
    ["uint8", "0x00ff", 255n],
    ["int8", -128, -128n],
    ["int8", "-128", -128n],
    ["uint256", Number.MAX_SAFE_INTEGER, BigInt(Number.MAX_SAFE_INTEGER)],
    ["uint256", (2n ** 256n - 1n).toString(), 2n ** 256n - 1n],
    ["uint256", `0x${"f".repeat(64)}`, 2n ** 256n - 1n],
    ["int256", (-(2n ** 255n)).toString(), -(2n ** 255n)],
    ["uint256", "0", 0n],
    ["uint256", "0x0", 0n],
  ])("as %s takes %o", (type, value, integer) => {
    expect(read(type, value)).toMatchObject({ value: integer });
  });
});

describe("refused, with the place and the reason", () => {
  const base = single("uint8", 1);
  const person = { types: { ...base.types, P: [{ name: "p", type: "T[]" }] }, primaryType: "P" };
  const domainType = (...members: [name: string, type: string][]) => ({
    types: { ...base.types, EIP712Domain: members.map(([name, type]) => ({ name, type })) },
  });
  const emptyDomain =
    "domain: has no members: expected at least one of name, version, chainId, verifyingContract, salt, each declared in the type `EIP712Domain` among `types`";
  const t = (members: unknown) => ({ types: { T: members } });
  const rows: [what: string, changed: object, reason: string][] = [
    ["a member more", { account }, "typed data: unknown member `account`"],
    ["no message", { message: undefined }, "typed data: member `message` is missing"],
    ["no domain", { domain: undefined }, "typed data: member `domain` is missing"],
    ["no types", { types: undefined }, "typed data: member `types` is missing"],
    ["no primary type", { primaryType: undefined }, "typed data: member `primaryType` is missing"],
    ["a domain that is null", { domain: null }, "domain: expected an object, got null"],
    ["a primary type of its own", { primaryType: "X" }, "primaryType: `X` is not among the types"],
    [
      "a primary type of Object",
      { primaryType: "toString" },
      "primaryType: `toString` is not among the types",
    ],
    [
      "the domain as primary type",
      { primaryType: "EIP712Domain", ...domainType() },
      "primaryType: `EIP712Domain` cannot be the type of the message",
    ],
    [
      "a member of the message that nobody signs",
      { message: { m: 1, to: account } },
      "message (`T`): unknown member `to`",
    ],
    ["a member that is missing", { message: {} }, "message (`T`): member `m` is missing"],
    ["a member that is null", { message: { m: null } }, "message.m: expected an integer, got null"],
    ["a message that is a list", { message: [] }, "message (`T`): expected an object, got a list"],
    [
      "a member inside a list that nobody signs",
      { ...person, message: { p: [{ m: 1 }, { m: 1, n: 2 }] } },
      "message.p[1] (`T`): unknown member `n`",
    ],
    [
      "an object for a list",
      { ...person, message: { p: {} } },
      "message.p: expected a list, got an object",
    ],
    [
      "a member of the domain that nobody signs",
      { ...domainType(["name", "string"]), domain: { name: "a", chainId: 1 } },
      "domain (`EIP712Domain`): unknown member `chainId`",
    ],
    [
      "a member of the domain that is missing",
      { ...domainType(["name", "string"], ["chainId", "uint256"]) },
      "domain (`EIP712Domain`): member `chainId` is missing",
    ],
    [
      "a domain without its only declared member",
      { ...domainType(["name", "string"]), domain: {} },
      "domain (`EIP712Domain`): member `name` is missing",
    ],
    ["an empty domain", { domain: {} }, emptyDomain],
    ["an empty domain that is declared so", { ...domainType(), domain: {} }, emptyDomain],
    [
      "a domain of which no member is declared",
      { ...domainType(), domain: { name: "a" } },
      "domain (`EIP712Domain`): unknown member `name`",
    ],
    [
      "a member of no domain",
      { domain: { network: "a" } },
      "domain (`EIP712Domain`): unknown member `network`",
    ],
    [
      "a declared member of no domain",
      { ...domainType(["network", "string"]), domain: { network: "a" } },
      "types, `EIP712Domain`: `network` is not a member of a domain in EIP-712",
    ],
    [
      "a member of the domain of another type",
      { ...domainType(["verifyingContract", "string"]), domain: { verifyingContract: "a" } },
      "types, `EIP712Domain`: `verifyingContract` must have the type address, got `string`",
    ],
    [
      "a chain id that is negative",
      { domain: { chainId: -1 } },
      "domain.chainId: `-1` is out of range for uint256",
    ],
    ["a type that is no list", t({}), "types, `T`: expected a list, got an object"],
    [
      "a member of a type that is no object",
      t(["m"]),
      "types, `T`, member 0: expected an object, got a string",
    ],
    [
      "a member of a type with more",
      t([{ name: "m", type: "bool", indexed: true }]),
      "types, `T`, member 0: unknown member `indexed`",
    ],
    [
      "a member of a type without a type",
      t([{ name: "m" }]),
      "types, `T`, member 0: member `type` is missing",
    ],
    [
      "a name that is not an identifier",
      t([{ name: "m,uint8 n", type: "bool" }]),
      "types, `T`, member 0: `m,uint8 n` is not an identifier of at most 64 characters",
    ],
    [
      "a name twice",
      t([
        { name: "m", type: "bool" },
        { name: "m", type: "bool" },
      ]),
      "types, `T`, member 1: `m` appears twice",
    ],
    [
      "a struct that is not there",
      t([{ name: "m", type: "U" }]),
      "types, `T`, member 0: unknown type `U`",
    ],
    [
      "a struct of Object",
      t([{ name: "m", type: "constructor" }]),
      "types, `T`, member 0: unknown type `constructor`",
    ],
    [
      "the domain in a message",
      { types: { T: [{ name: "m", type: "EIP712Domain" }], EIP712Domain: [] } },
      "types, `T`, member 0: unknown type `EIP712Domain`",
    ],
    [
      "an alias",
      t([{ name: "m", type: "uint[]" }]),
      "types, `T`, member 0: unknown type `uint`: write `uint256`",
    ],
    [
      "a type without end",
      t([{ name: "m", type: `bool${"[]".repeat(127)}` }]),
      `types, \`T\`, member 0: unknown type \`bool${"[]".repeat(16)}[...\``,
    ],
    [
      "a struct with the name of a type",
      { types: { ...base.types, uint8: [] } },
      "types, `uint8`: is the name of a Solidity type",
    ],
    [
      "a struct with the name of an alias",
      { types: { ...base.types, uint: [] } },
      "types, `uint`: is the name of a Solidity type",
    ],
    [
      "a struct whose name is none",
      { types: { ...base.types, "A(B b)": [] } },
      "types, `A(B b)`: is not an identifier of at most 64 characters",
    ],
    [
      "a struct that needs itself",
      { types: { T: [{ name: "m", type: "T" }] }, message: { m: { m: {} } } },
      "message.m.m (`T`): member `m` is missing",
    ],
    [
      "65 types",
      { types: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`T${i}`, []])) },
      "types: 65 types; at most 64 are allowed",
    ],
    [
      "513 members",
      { types: { T: Array.from({ length: 513 }, (_, i) => ({ name: `m${i}`, type: "bool" })) } },
      "types: more than 512 members",
    ],
    [
      "10,001 values",
      { types: { T: [{ name: "m", type: "bool[]" }] }, message: { m: Array(9_999).fill(true) } },
      "message.m[9998]: more than 10000 values",
    ],
  ];
  test.each(rows)("%s", (_, changed, reason) => {
    const json = JSON.stringify({ ...base, ...changed });
    expect(() => parseTypedData(json)).toThrow(new MalformedError(reason));
  });

  const values: [type: string, value: unknown, reason: string][] = [
    ["uint8", 256, "`256` is out of range for uint8"],
    ["uint8", -1, "`-1` is out of range for uint8"],
    ["uint8", "-1", "`-1` is out of range for uint8"],
    ["int8", 128, "`128` is out of range for int8"],
    ["int8", "-129", "`-129` is out of range for int8"],
    [
      "uint256",
      (2n ** 256n).toString(),
      `\`${(2n ** 256n).toString().slice(0, 37)}...\` is out of range for uint256`,
    ],
    ["uint256", "1".repeat(200_000), `\`${"1".repeat(37)}...\` is out of range for uint256`],
    ["uint256", 2 ** 53, "a number beyond 2^53 or with a fraction: write an integer as a string"],
    ["uint256", 1.5, "a number beyond 2^53 or with a fraction: write an integer as a string"],
    ["uint256", "1.0", "`1.0` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "1e3", "`1e3` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "007", "`007` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "-0", "`-0` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "+1", "`+1` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", " 1", "` 1` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "", "`` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "0x", "`0x` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", "0X1", "`0X1` is not an integer: expected decimal digits, or hex after 0x"],
    [
      "uint256",
      `0x${"0".repeat(65)}`,
      `\`0x${"0".repeat(35)}...\` is not an integer: expected decimal digits, or hex after 0x`,
    ],
    ["int8", "-0x1", "`-0x1` is not an integer: expected decimal digits, or hex after 0x"],
    ["uint256", true, "expected an integer, got a boolean"],
    ["uint256", [1], "expected an integer, got a list"],
    ["bool", 1, "expected true or false"],
    ["bool", "true", "expected true or false"],
    ["string", 1, "expected a string, got a number"],
    ["bytes", "ab", "expected hex digits after 0x"],
    ["bytes", "0xa", "expected an even number of hex digits after 0x"],
    ["bytes", "0xgg", "expected an even number of hex digits after 0x"],
    ["bytes", [1, 2], "expected a string, got a list"],
    ["bytes2", "0xabcdef", "expected 2 bytes, got 3"],
    ["bytes2", "0xab", "expected 2 bytes, got 1"],
    [
      "address",
      account.slice(2),
      `\`${account.slice(2)}\` is not an address: expected 0x and 40 hex digits`,
    ],
    [
      "address",
      `${account}00`,
      `\`${account.slice(0, 37)}...\` is not an address: expected 0x and 40 hex digits`,
    ],
    [
      "address",
      account.replace("D", "d"),
      `the checksum of ${account.replace("D", "d")} (EIP-55) is wrong: is it mistyped?`,
    ],
    ["address", 1, "expected a string, got a number"],
    ["uint8[2]", [1], "expected 2 elements, got 1"],
    ["uint8[2]", [1, 2, 3], "expected 2 elements, got 3"],
  ];
  test.each(values.map(([type, value, reason]) => ({ type, value, reason })))(
    "as $type: $reason",
    ({ type, value, reason }) => {
      const refusal = { name: "MalformedError", message: `message.m: ${reason}` };
      expect(() => read(type, value)).toThrow(expect.objectContaining(refusal));
    },
  );

  test("addresses in a single case have no checksum", () => {
    const { bytes } = read("address", account) as { bytes: Uint8Array };
    const upper = `0x${account.slice(2).toUpperCase()}`;
    expect(read("address", upper)).toMatchObject({ bytes, text: upper });
    expect(read("address", account.toLowerCase())).toMatchObject({ bytes });
  });

  test("text that is not JSON, repeats a key, or never ends", () => {
    const json = JSON.stringify(base);
    const refused = (text: string) => expect(() => parseTypedData(text)).toThrow(MalformedError);
    refused("");
    refused(json.slice(0, -1));
    refused(json.replace('"m":1', '"m":1,"m":2'));
    refused(json.replace('"m":1', '"__proto__":{"m":1}'));
    refused(JSON.stringify(single("string", "\ud800")));
    expect(() => parseTypedData(" ".repeat(MAX_TYPED_DATA_LENGTH + 1))).toThrow(
      new MalformedError("typed data has 262145 characters; at most 262144 are allowed"),
    );
  });

  test("types whose hashes cover each other's texts many times", () => {
    // Each of the structs uses all others, and the message has all of them.
    const ring = (count: number): TypedDataJson => {
      const rest = Array.from({ length: 6 }, (_, k) => ({
        name: `m${k}`.padEnd(64, "x"),
        type: `bool${"[]".repeat(126)}`,
      }));
      const next = (i: number) => (i + 1 < count ? `T${i + 1}` : "uint8");
      const members = (i: number) => [
        { name: "n", type: next(i) },
        { name: "back", type: "T0[]" },
        ...rest,
      ];
      const value = (i: number): Record<string, unknown> => ({
        n: i + 1 < count ? value(i + 1) : 1,
        back: [],
        ...Object.fromEntries(rest.map(({ name }) => [name, []])),
      });
      const types = Array.from({ length: count }, (_, i) => [`T${i}`, members(i)] as const);
      const domain = { name: "Test" };
      return { types: Object.fromEntries(types), primaryType: "T0", domain, message: value(0) };
    };
    const check = (count: number) =>
      assertTypesNotLong(parseTypedData(JSON.stringify(ring(count))));
    const started = cpuMs();
    expect(() => check(60)).toThrow(
      /^types: the types are too long together: their hashes cover 7\d{6} characters, because each covers the structs that it uses; at most 524288 are allowed$/,
    );
    expect(cpuMs() - started).toBeLessThan(1000);
    expect(() => check(16)).not.toThrow();
  });

  test("the maximum of types, members and values is hashed quickly", () => {
    const long = "n".repeat(60);
    const names = Array.from({ length: 63 }, (_, i) => `T${i}${long}`);
    // Every struct uses all later ones, so that the hash of its type covers theirs.
    const structs = names.map((name, i) => {
      const next = names.slice(i + 1, i + 2).map((type) => ({ name: long, type: `${type}[]` }));
      const rest = Array.from({ length: 6 }, (_, k) => ({ name: `${long}${k}`, type: "bytes[]" }));
      return [name, [...next, ...rest]] as const;
    });
    const valueOfStruct = (members: readonly { name: string }[]) =>
      Object.fromEntries(members.map(({ name }) => [name, []]));
    const all: TypedDataJson = {
      types: {
        All: [
          ...names.map((type, i) => ({ name: `m${i}`, type })),
          { name: "texts", type: "string[]" },
        ],
        ...Object.fromEntries(structs),
      },
      primaryType: "All",
      domain: { name: "Test" },
      message: {
        ...Object.fromEntries(structs.map(([, members], i) => [`m${i}`, valueOfStruct(members)])),
        texts: Array(9000).fill(""),
      },
    };
    const json = JSON.stringify(all);
    const started = cpuMs();
    const digest = digestOf(json);
    expect(cpuMs() - started).toBeLessThan(2000);
    expect(digest).toBe(viemDigest(all));
  });
});
