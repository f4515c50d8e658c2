import { type Schema, serialize } from "borsh";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { encodeBase58 } from "../encoding/base58.ts";
import { concatBytes, decodeHex, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import vectors from "../vectors/anchor.json" with { type: "json" };
import { MAX_ANCHOR_IDL_LENGTH, parseAnchorIdl } from "./anchor-idl.ts";
import { type AnchorValue, decodeAnchorInstruction } from "./anchor-idl-call.ts";
import { MalformedError } from "./malformed.ts";
import { fuzz } from "./solana-fuzz.testing.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 10_000 : 200;
const fuzzMs = isLong ? 180_000 : 2_000;
const timeout = isLong ? 1_200_000 : 60_000;

/** CPU time of this process, because the machine may be busy. */
const cpuMs = () => process.cpuUsage().user / 1000;

const parse = (idl: unknown) => parseAnchorIdl(JSON.stringify(idl));
const newer = parse(vectors.newer);
const older = parse(vectors.older);
const published = (i: number) => decodeHex(vectors.instructions[i]?.data ?? "");

/** A value as in JSON, except for integers. */
function plain(value: AnchorValue): unknown {
  switch (value.kind) {
    case "bool":
    case "uint":
    case "int":
      return value.value;
    case "string":
      return value.text;
    case "list":
      return value.items.map(plain);
    case "struct":
      return Object.fromEntries(value.fields.map(({ name, value }) => [name, plain(value)]));
    case "none":
      return null;
  }
}

/** The arguments, or the reason why there are none. */
function read(idl: ReturnType<typeof parse>, data: Uint8Array, accounts: string[] = []): unknown {
  const decoded = decodeAnchorInstruction(idl, data, accounts);
  if (decoded?.kind !== "decoded") return decoded?.reason ?? null;
  return plain({ kind: "struct", fields: decoded.arguments });
}

/** An IDL of one instruction with discriminator 01 and these arguments. */
function idlOf(args: unknown[], types: unknown[] = []) {
  return {
    instructions: [{ name: "go", discriminator: [1], accounts: [], args }],
    types,
  };
}

const argument = (type: unknown) => ({ name: "x", type });

/** The value of one argument of a type, or the reason why there is none. */
function readOne(type: unknown, hex: string, types: unknown[] = []): unknown {
  const read = decodeAnchorInstruction(
    parse(idlOf([argument(type)], types)),
    decodeHex(`01${hex.replaceAll(" ", "")}`),
    [],
  );
  if (read?.kind !== "decoded") return new Error(read?.reason);
  const [{ value } = { value: { kind: "none" } as const }] = read.arguments;
  return plain(value);
}

describe("an instruction that Anchor's own client encodes", () => {
  const key = (i: number) => encodeBase58(new Uint8Array(32).fill(i));

  test("is read by an IDL in the newer spelling", () => {
    const decoded = decodeAnchorInstruction(newer, published(0), ["T", "B", "A", "R", "more"]);
    if (decoded?.kind !== "decoded") throw new Error(decoded?.reason);
    const { arguments: fields, ...rest } = decoded;
    expect(rest).toEqual({
      kind: "decoded",
      instructionName: "place_order",
      discriminator: "33c29baf6d82606a",
      namedAccounts: [
        { name: "trader", accountKey: "T" },
        { name: "book.bids", accountKey: "B" },
        { name: "book.asks", accountKey: "A" },
        { name: "referrer", accountKey: "R" },
      ],
    });
    expect(plain({ kind: "struct", fields })).toEqual({
      side: "Buy",
      order: {
        u8: 255n,
        i8: -128n,
        u16: 65535n,
        i16: -2n,
        u32: 4294967295n,
        i32: -3n,
        u64: 2n ** 64n - 1n,
        i64: -(2n ** 63n),
        u128: 2n ** 128n - 1n,
        i128: -4n,
        u256: 2n ** 256n - 1n,
        i256: -5n,
        f32: "0.5",
        f64: "0.1",
        flag: true,
        memo: "grüße",
        raw: "0102ff",
        owner: key(9),
        salt: [1n, 2n, 3n, 4n],
        expiry: 77n,
        tags: ["a", "bc"],
      },
      action: { Move: { by: -300n, to: key(8) } },
      lots: [1n, 2n],
      price: [5n, true],
      limits: [null, { at: 6n }],
    });
  });

  test("with variants of an enum in each form", () => {
    const accounts = ["T", "B", "A"];
    expect(read(newer, published(1), accounts)).toMatchObject({ action: { Split: [3n, "Sell"] } });
    expect(read(newer, published(2), accounts)).toMatchObject({ action: "Hold", side: "Sell" });
    expect(read(newer, published(3))).toEqual({});
  });

  test("is read by an IDL in the older spelling", () => {
    expect(decodeAnchorInstruction(older, published(4), ["T", "B"])).toMatchObject({
      instructionName: "placeOrderV2",
      discriminator: "e86f73c4ed8f3ecc",
      namedAccounts: [
        { name: "trader", accountKey: "T" },
        { name: "book.bids", accountKey: "B" },
      ],
    });
    expect(read(older, published(4), ["T", "B"])).toEqual({
      side: "Buy",
      order: {
        maxQuantity: 12345n,
        owner: key(7),
        lots: [1n, 2n],
        expiry: -1n,
        salt: [1n, 65535n],
      },
      action: { Move: { by: 5n } },
    });
  });

  test("with what the IDL says about its accounts", () => {
    const account = (
      name: string,
      isWritable: boolean,
      isSigner: boolean,
      isOptional: boolean,
    ) => ({
      name,
      isWritable,
      isSigner,
      isOptional,
    });
    expect(newer.instructions[0]?.accounts).toEqual([
      account("trader", true, true, false),
      account("book.bids", true, false, false),
      account("book.asks", true, false, false),
      account("referrer", false, false, true),
    ]);
    expect(older.instructions[0]?.accounts).toEqual([
      account("trader", true, true, false),
      account("book.bids", true, false, false),
      account("referrer", false, false, true),
    ]);
  });
});

test("missing discriminators are derived from the name in snake case", () => {
  const derived = (name: string) => {
    const { instructions } = parse({ instructions: [{ name, accounts: [], args: [] }], types: [] });
    return encodeHex(instructions[0]?.discriminator ?? new Uint8Array());
  };
  // As deployed: initialize, and route and shared_accounts_route of a well-known exchange.
  expect(derived("initialize")).toBe("afaf6d1f0d989bed");
  expect(derived("route")).toBe("e517cb977ae3ad2a");
  expect(derived("sharedAccountsRoute")).toBe("c1209b3341d69c81");
  expect(derived("shared_accounts_route")).toBe("c1209b3341d69c81");
  expect(derived("swapV2")).toBe(derived("swap_v2"));
  expect(derived("swap2Tokens")).toBe(derived("swap2_tokens"));
  expect(derived("setURIOf")).toBe(derived("set_uri_of"));
});

test("data of another program's instruction is not decoded", () => {
  expect(decodeAnchorInstruction(newer, decodeHex("33c29baf6d82606b"), [])).toBeNull();
  expect(decodeAnchorInstruction(newer, decodeHex("33c29baf6d8260"), [])).toBeNull();
  expect(decodeAnchorInstruction(newer, new Uint8Array(), [])).toBeNull();
});

describe("a known instruction that does not decode says why", () => {
  test("with too few accounts", () => {
    expect(decodeAnchorInstruction(newer, published(0), ["T", "B"])).toEqual({
      kind: "undecodable",
      instructionName: "place_order",
      discriminator: "33c29baf6d82606a",
      reason: "it has 2 accounts, but needs 3",
    });
  });

  test.each<[unknown, string, string]>([
    ["bool", "02", "argument x is 2: expected 0 or 1"],
    ["bool", "", "argument x is missing: the bytes end before it"],
    ["bool", "0100", "1 byte after the end of the arguments"],
    ["u64", "00", "argument x takes 8 bytes, but the data has only 1 more"],
    ["f32", "0000c07f", "argument x is not a number"],
    ["f64", "010000000000f0ff", "argument x is not a number"],
    ["string", "01000000ff", "argument x is not UTF-8"],
    ["string", "ffffffff", "argument x has length 4294967295, but the data has only 0 bytes more"],
    ["bytes", "0200000000", "argument x has length 2, but the data has only 1 byte more"],
    [{ vec: "u16" }, "010000 0000", "argument x[0] takes 2 bytes, but the data has only 1 more"],
    [
      { vec: { array: ["u8", 0] } },
      "ffffffff",
      "argument x has length 4294967295, but the data has only 0 bytes more",
    ],
    [{ option: "u8" }, "0200", "the option argument x is 2: expected 0 or 1"],
    [{ coption: "u8" }, "0200000000", "the option argument x is 2: expected 0 or 1"],
    [{ coption: "u8" }, "0000000001", "argument x is absent, but its place does not hold zeros"],
    [{ array: ["u8", 3] }, "0102", "argument x[2] takes 1 byte, but the data has only 0 more"],
    [{ array: [{ array: ["u8", 0] }, 1e9] }, "", "argument x[9999]: more than 10000 values"],
  ])("%j of %s", (type, hex, reason) => {
    expect(readOne(type, hex)).toEqual(new Error(reason));
  });

  const types = [
    { name: "Tree", type: { kind: "struct", fields: [argument({ vec: { defined: "Tree" } })] } },
    { name: "Loop", type: { kind: "struct", fields: [argument({ defined: "Loop" })] } },
    { name: "Side", type: { kind: "enum", variants: [{ name: "Buy" }] } },
    ...Array.from({ length: 30 }, (_, i) => ({
      name: `Double${i}`,
      type: {
        kind: "struct",
        fields: ["a", "b"].map((name) => ({
          name,
          type: i === 0 ? { array: ["u8", 0] } : { defined: `Double${i - 1}` },
        })),
      },
    })),
  ];

  test("of types that contain themselves", () => {
    expect(readOne({ defined: "Tree" }, "02000000 00000000 00000000", types)).toEqual({
      x: [{ x: [] }, { x: [] }],
    });
    expect(String(readOne({ defined: "Tree" }, "01000000".repeat(60), types))).toMatch(
      /more than 32 levels$/,
    );
    expect(String(readOne({ defined: "Loop" }, "", types))).toMatch(/more than 32 levels$/);
  });

  test("of types that expand to more values than they have bytes", () => {
    expect(String(readOne({ defined: "Double29" }, "", types))).toMatch(/more than 10000 values$/);
  });

  test("of an unknown variant", () => {
    expect(readOne({ defined: "Side" }, "01", types)).toEqual(
      new Error("argument x: Side has no variant 1"),
    );
  });
});

test("values with more than one name are distinguished", () => {
  expect(readOne("f64", "0000000000000080")).toBe("-0");
  expect(readOne("f32", "0000807f")).toBe("Infinity");
  expect(readOne("f32", "cdcccc3d")).toBe("0.10000000149011612");
  expect(readOne({ coption: "u8" }, "0000000000")).toBe(null);
  expect(readOne({ coption: "u8" }, "0100000005")).toBe(5n);
  expect(readOne("string", "03000000efbbbf")).toBe("\ufeff");
});

describe("an IDL is refused", () => {
  const instruction = { name: "a", accounts: [], args: [] };
  const withType = (type: unknown, defined: unknown = "T") =>
    idlOf([argument({ defined })], [{ name: "T", ...Object(type) }]);
  const at = (place: string, reason: string) => `provided IDL is invalid: ${place}: ${reason}`;
  /** An account in so many groups, whose names have 250 characters. */
  const inGroups = (count: number, account: object): object =>
    count === 0 ? account : { name: "g".repeat(250), accounts: [inGroups(count - 1, account)] };

  test.each<[string, unknown, string]>([
    ["that is no object", [], "provided IDL is invalid: expected an object, got a list"],
    [
      "without types",
      { instructions: [] },
      "provided IDL is invalid: `types` is missing (it may be empty)",
    ],
    [
      "without instructions",
      { types: [] },
      "provided IDL is invalid: `instructions` is missing (it may be empty)",
    ],
    [
      "with an instruction without a name",
      { instructions: [{ ...instruction, name: "" }], types: [] },
      at("instructions[0].name", "the name is empty"),
    ],
    [
      "with an instruction without arguments",
      { instructions: [{ name: "a", accounts: [] }], types: [] },
      at("instructions[0] (a)", "`args` is missing (it may be empty)"),
    ],
    [
      "with two instructions of a name",
      { instructions: [instruction, instruction], types: [] },
      at("instructions", "two are named `a`"),
    ],
    [
      "with discriminators that overlap",
      {
        instructions: [
          { ...instruction, discriminator: [1, 2] },
          { ...instruction, name: "b", discriminator: [1] },
        ],
        types: [],
      },
      at("instructions[1]", "the discriminators of `b` and `a` overlap: one begins with the other"),
    ],
    [
      "with an empty discriminator",
      { instructions: [{ ...instruction, discriminator: [] }], types: [] },
      at("instructions[0] (a).discriminator", "must not be empty: all data begins with it"),
    ],
    [
      "with a discriminator that is not bytes",
      { instructions: [{ ...instruction, discriminator: [256] }], types: [] },
      at("instructions[0] (a).discriminator", "expected a list of numbers from 0 to 255"),
    ],
    [
      "with a name that no discriminator follows from",
      { instructions: [{ ...instruction, name: "überweisen" }], types: [] },
      at(
        "instructions[0] (überweisen)",
        "only an identifier determines a discriminator: write the discriminator out",
      ),
    ],
    [
      "with two accounts of a name",
      { instructions: [{ ...instruction, accounts: [{ name: "k" }, { name: "k" }] }], types: [] },
      at("instructions[0] (a).accounts", "two are named `k`"),
    ],
    [
      "with an account that is half a signer",
      { instructions: [{ ...instruction, accounts: [{ name: "k", signer: 1 }] }], types: [] },
      at("instructions[0] (a).accounts[0]", "`signer` is not true or false"),
    ],
    [
      "with an account in both spellings",
      {
        instructions: [{ ...instruction, accounts: [{ name: "k", writable: true, isMut: false }] }],
        types: [],
      },
      at("instructions[0] (a).accounts[0]", "both `writable` and `isMut`: keep one"),
    ],
    [
      "with an unknown type",
      idlOf([argument("u63")]),
      at("instructions[0] (go).args[0].type", "unknown type `u63`"),
    ],
    [
      "with an unknown form of type",
      idlOf([argument({ vec: { hashMap: ["u8", "u8"] } })]),
      at("instructions[0] (go).args[0].type.vec", "unknown type `hashMap`"),
    ],
    [
      "with a type of two forms",
      idlOf([argument({ vec: "u8", option: "u8" })]),
      at(
        "instructions[0] (go).args[0].type",
        "expected a name or an object of one member, such as `vec`",
      ),
    ],
    [
      "with an array without a length",
      idlOf([argument({ array: ["u8", -1] })]),
      at("instructions[0] (go).args[0].type.array", "expected a type and a length"),
    ],
    [
      "with an array of generic length",
      idlOf([argument({ array: ["u8", { generic: "N" }] })]),
      at(
        "instructions[0] (go).args[0].type.array",
        "generic lengths are not supported: write the length out",
      ),
    ],
    [
      "with a generic argument",
      idlOf([argument({ generic: "T" })]),
      at(
        "instructions[0] (go).args[0].type",
        "generic types are not supported: write the type out",
      ),
    ],
    [
      "that refers to a generic type",
      withType(
        { type: { kind: "struct" } },
        { name: "T", generics: [{ kind: "type", type: "u8" }] },
      ),
      at(
        "instructions[0] (go).args[0].type.defined.generics",
        "generic types are not supported: write the type out",
      ).replace(".generics", ""),
    ],
    [
      "with a generic type that is referred to",
      withType({ generics: [{ kind: "type", name: "U" }], type: { kind: "struct" } }),
      at("types[0] (T)", "generic types are not supported: write the type out"),
    ],
    [
      "that refers to a type it does not have",
      idlOf([argument({ defined: { name: "U" } })]),
      at("instructions[0] (go).args[0].type.defined", "there is no type `U` among the types"),
    ],
    [
      "with two types of a name",
      idlOf([], [{ name: "T" }, { name: "T" }]),
      at("types[1]", "there is already a type `T`"),
    ],
    [
      "with a type that is not laid out by Borsh",
      withType({ serialization: "bytemuck", type: { kind: "struct" } }),
      at("types[0] (T).serialization", "only borsh is supported"),
    ],
    [
      "with a type of another kind",
      withType({ type: { kind: "union" } }),
      at("types[0] (T).type.kind", "expected struct, enum, type or alias"),
    ],
    [
      "with fields of which some have names",
      withType({ type: { kind: "struct", fields: ["u8", argument("u8")] } }),
      at("types[0] (T).type.fields", "some fields have names and some do not"),
    ],
    [
      "with two fields of a name",
      withType({ type: { kind: "struct", fields: [argument("u8"), argument("u8")] } }),
      at("types[0] (T).type.fields", "two are named `x`"),
    ],
    [
      "with two variants of a name",
      withType({ type: { kind: "enum", variants: [{ name: "A" }, { name: "A" }] } }),
      at("types[0] (T).type.variants", "two are named `A`"),
    ],
    [
      "with more variants than a byte tells apart",
      withType({
        type: {
          kind: "enum",
          variants: Array.from({ length: 257 }, (_, i) => ({ name: `V${i}` })),
        },
      }),
      at("types[0] (T).type.variants", "more than 256 variants"),
    ],
    [
      "with a name that is too long",
      { instructions: [{ ...instruction, name: "a".repeat(257) }], types: [] },
      at("instructions[0].name", "has 257 characters; at most 256 are allowed"),
    ],
    [
      "with an account whose groups have long names",
      {
        instructions: [{ ...instruction, accounts: [inGroups(4, { name: "a".repeat(21) })] }],
        types: [],
      },
      at(
        `instructions[0] (a)${".accounts[0]".repeat(5)}.name`,
        "with its groups has 1025 characters; at most 1024 are allowed",
      ),
    ],
  ])("%s", (_, idl, message) => {
    expect(() => parse(idl)).toThrow(new MalformedError(message));
  });

  test("as soon as a name is too long, however many accounts have it", () => {
    const accounts = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `${i}`.padStart(5, "0") }));
    const idl = (group: object) => ({
      instructions: [{ ...instruction, accounts: [group] }],
      types: [],
    });
    const started = cpuMs();
    const long = { name: "g".repeat(17_000), accounts: accounts(20_000) };
    expect(() => parse(idl(long))).toThrow("has 17000 characters; at most 256 are allowed");
    // The longest path that is allowed.
    const most = inGroups(4, { name: "a".repeat(14), accounts: accounts(250) });
    expect(parse(idl(most)).instructions[0]?.accounts[0]?.name).toHaveLength(1024);
    expect(cpuMs() - started).toBeLessThan(2000);
  });

  const PARTS = "more than 5000 accounts, fields, variants and types";
  const much = (length: number, part: (i: number) => unknown) =>
    Array.from({ length }, (_, i) => part(i));
  const withMuch = (parts: object, types: unknown[] = []) => ({
    instructions: [{ ...instruction, ...parts }],
    types,
  });
  const deep = (levels: number): unknown => (levels === 0 ? "u8" : { vec: deep(levels - 1) });

  test.each([
    [
      "instructions",
      { instructions: much(9500, (i) => ({ name: `a${i}`, accounts: [], args: [] })), types: [] },
      "more than 1000 instructions",
    ],
    ["accounts", withMuch({ accounts: much(5001, (i) => ({ name: `a${i}` })) }), PARTS],
    [
      "accounts in groups with long names",
      withMuch({
        accounts: [inGroups(4, { name: "g", accounts: much(400, (i) => ({ name: `${i}` })) })],
      }),
      PARTS,
    ],
    ["arguments", withMuch({ args: much(5001, (i) => ({ name: `${i}`, type: "u8" })) }), PARTS],
    [
      "vectors in vectors",
      withMuch({ args: much(200, (i) => ({ name: `${i}`, type: deep(25) })) }),
      PARTS,
    ],
    [
      "variants",
      withMuch(
        { args: much(20, (i) => ({ name: `${i}`, type: { defined: `T${i}` } })) },
        much(20, (i) => ({
          name: `T${i}`,
          type: { kind: "enum", variants: much(256, (v) => ({ name: `V${v}` })) },
        })),
      ),
      PARTS,
    ],
    [
      "types",
      idlOf(
        [],
        much(5001, (i) => ({ name: `T${i}` })),
      ),
      "more than 5000 types",
    ],
  ])("with so many %s that parsing takes long", (_, idl, reason) => {
    const text = JSON.stringify(idl);
    expect(text.length).toBeLessThan(MAX_ANCHOR_IDL_LENGTH);
    const message = `provided IDL is invalid: ${reason}: leave out instructions that no policy reads`;
    expect(() => parseAnchorIdl(text)).toThrow(new MalformedError(message));
  });

  test("unless it has as many instructions and accounts as are allowed", () => {
    const instructions = much(1000, (i) => ({
      name: `a${i}`,
      accounts: much(5, (at) => ({ name: `account${at}` })),
      args: [],
    }));
    expect(parse({ instructions, types: [] }).weight).toBe(10_000);
  });

  test("that is not JSON, repeats a member or is too long", () => {
    for (const text of ["", "{", '{"types":[],"types":[],"instructions":[]}']) {
      expect(() => parseAnchorIdl(text)).toThrow(MalformedError);
    }
    const long = JSON.stringify({ ...idlOf([]), docs: "x".repeat(MAX_ANCHOR_IDL_LENGTH) });
    expect(() => parseAnchorIdl(long)).toThrow(
      /^provided IDL is invalid: the text has \d+ characters; at most 400000 are allowed$/,
    );
  });
});

test("types that no argument refers to need not be valid", () => {
  const types = [
    { name: "Pool", serialization: "bytemuck", type: { kind: "struct", fields: ["u63"] } },
    { name: "Of", generics: [{ kind: "type", name: "T" }], type: { kind: "struct" } },
  ];
  expect(parse(idlOf([], types)).types.size).toBe(0);
});

/** A type as IDLs and as the borsh package write it, with values as both read them. */
type Sample = { type: unknown; schema: Schema; given: unknown; expected: unknown };

const integer = fc.constantFrom(8, 16, 32, 64, 128).chain((bits) =>
  fc.boolean().chain((isSigned) => {
    const least = isSigned ? -(2n ** BigInt(bits - 1)) : 0n;
    return fc.bigInt(least, least + 2n ** BigInt(bits) - 1n).map((value): Sample => {
      const type = `${isSigned ? "i" : "u"}${bits}`;
      return { type, schema: type, given: bits > 32 ? value : Number(value), expected: value };
    });
  }),
);

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  integer,
  fc.boolean().map((given) => ({ type: "bool", schema: "bool", given, expected: given })),
  fc
    .string({ unit: "grapheme", maxLength: 10 })
    .map((given) => ({ type: "string", schema: "string", given, expected: given })),
  fc.uint8Array({ maxLength: 10 }).map((bytes) => ({
    type: "bytes",
    schema: { array: { type: "u8" } },
    given: [...bytes],
    expected: encodeHex(bytes),
  })),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => ({
    type: "pubkey",
    schema: { array: { type: "u8", len: 32 } },
    given: [...bytes],
    expected: encodeBase58(bytes),
  })),
  fc.double({ noNaN: true }).map((given) => ({
    type: "f64",
    schema: "f64",
    given,
    expected: Object.is(given, -0) ? "-0" : String(given),
  })),
);

const { value } = fc.letrec<{ value: Sample }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    tie("value").map(({ type, schema, given, expected }) => ({
      type: { option: type },
      schema: { option: schema },
      given,
      expected,
    })),
    tie("value").map(({ type, schema }) => ({
      type: { option: type },
      schema: { option: schema },
      given: null,
      expected: null,
    })),
    fc.tuple(tie("value"), fc.nat({ max: 3 })).map(([{ type, schema, given, expected }, n]) => ({
      type: { vec: type },
      schema: { array: { type: schema } },
      given: Array(n).fill(given),
      expected: Array(n).fill(expected),
    })),
    fc
      .tuple(tie("value"), fc.integer({ min: 1, max: 3 }))
      .map(([{ type, schema, given, expected }, n]) => ({
        type: { array: [type, n] },
        schema: { array: { type: schema, len: n } },
        given: Array(n).fill(given),
        expected: Array(n).fill(expected),
      })),
  ),
}));

test("values that the borsh package encodes are read back", { timeout }, () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), fc.nat({ max: 3 }), (fields, chosen) => {
      const named = fields.map(({ type }, i) => ({ name: `f${i}`, type }));
      const record = <T>(of: (sample: Sample) => T) =>
        Object.fromEntries(fields.map((sample, i) => [`f${i}`, of(sample)]));
      const types = [
        { name: "Record", type: { kind: "struct", fields: named } },
        {
          name: "Choice",
          type: {
            kind: "enum",
            variants: Array.from({ length: 4 }, (_, i) => ({ name: `V${i}`, fields: named })),
          },
        },
      ];
      const struct = { struct: record(({ schema }) => schema) };
      const expected = record((sample) => sample.expected);
      const given = record((sample) => sample.given);
      expect(
        readOne({ defined: { name: "Record" } }, encodeHex(serialize(struct, given)), types),
      ).toEqual(expected);
      const choice = {
        enum: Array.from({ length: 4 }, (_, i) => ({ struct: { [`V${i}`]: struct } })),
      };
      const bytes = serialize(choice, { [`V${chosen}`]: given });
      expect(readOne({ defined: { name: "Choice" } }, encodeHex(bytes), types)).toEqual({
        [`V${chosen}`]: expected,
      });
      // Borsh has one encoding for every value, so more or fewer bytes are refused.
      const read = (data: Uint8Array) =>
        readOne({ defined: { name: "Record" } }, encodeHex(data), types);
      const data = serialize(struct, given);
      expect(read(concatBytes(data, Uint8Array.of(0)))).toBeInstanceOf(Error);
      if (data.length > 0) expect(read(data.slice(0, -1))).toBeInstanceOf(Error);
    }),
    { numRuns },
  );
});

test("no data breaks the decoder of instructions", { timeout }, () => {
  const accounts = Array.from({ length: 5 }, (_, i) => String(i));
  const judge = (data: Uint8Array) => {
    for (const idl of [newer, older]) decodeAnchorInstruction(idl, data, accounts);
  };
  fuzz(
    vectors.instructions.map(({ data }) => decodeHex(data)),
    judge,
    fuzzMs,
  );
});

test("no text breaks the parser of IDLs", { timeout }, () => {
  const judge = (bytes: Uint8Array) => {
    try {
      parseAnchorIdl(new TextDecoder().decode(bytes));
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
    }
  };
  // Members and values are swapped too, so that the result is often still JSON.
  const texts = [vectors.newer, vectors.older].map((idl) => encodeUtf8(JSON.stringify(idl)));
  fuzz(texts, judge, fuzzMs / 2);
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(...membersOf(vectors.newer)), (json, path) => {
      const idl = structuredClone(vectors.newer) as unknown;
      setAt(idl, path, JSON.parse(json));
      judge(encodeUtf8(JSON.stringify(idl)));
    }),
    { numRuns: 10 * numRuns },
  );
});

/** The paths to every member and element of a JSON value. */
function membersOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...membersOf(member).map((path) => [name, ...path]),
  ]);
}

function setAt(value: unknown, [name = "", ...path]: string[], member: unknown): void {
  const object = value as Record<string, unknown>; // the path was walked before
  if (path.length === 0) object[name] = member;
  else setAt(object[name], path, member);
}
