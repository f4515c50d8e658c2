import { Interface } from "ethers";
import fc from "fast-check";
import { encodeFunctionData, erc20Abi, parseAbi, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";

import { concatBytes, decodeHex } from "../encoding/bytes.ts";
import { MAX_ABI_LENGTH, parseContractAbi } from "./abi.ts";
import { type AbiValue, decodeCall } from "./abi-call.ts";
import { argumentOf, callSample, hex, type Parameter } from "./ethereum.testing.ts";
import { MalformedError } from "./malformed.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 10_000 : 200;
const timeout = isLong ? 600_000 : 30_000;

/** CPU time of this process, because the machine may be busy. */
const cpuMs = () => process.cpuUsage().user / 1000;

const account = "0x000000000000000000000000000000000000dEaD";

/** A function with the given inputs, and its call with the given words after the selector. */
function decodeWords(inputs: Parameter[], ...words: string[]) {
  const abi = parseContractAbi(JSON.stringify([{ type: "function", name: "f", inputs }]));
  const [selector = ""] = abi.functions.keys();
  return decodeCall(abi, decodeHex(selector.slice(2) + words.join("")));
}

function word(value: bigint | number): string {
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
}

function unnamed(type: string, components?: Parameter[]): Parameter {
  return { name: "", type, ...(components && { components }) };
}

function refusal(types: string[], ...words: string[]) {
  const decoded = decodeWords(
    types.map((type) => unnamed(type)),
    ...words,
  );
  return decoded?.kind === "undecodable" ? decoded.reason : decoded;
}

describe("calls", () => {
  test("a token transfer is decoded by the interface of its contract", () => {
    const abi = parseContractAbi(JSON.stringify(erc20Abi));
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: "transfer",
      args: [account, 500n],
    });
    expect(decodeCall(abi, decodeHex(data.slice(2)))).toEqual({
      kind: "decoded",
      functionName: "transfer",
      selector: "0xa9059cbb",
      arguments: [
        {
          name: "recipient",
          value: { kind: "address", type: "address", bytes: decodeHex(account.slice(2)) },
        },
        { name: "amount", value: { kind: "uint", type: "uint256", value: 500n } },
      ],
      suffix: new Uint8Array(0),
    });
  });

  test("generated for any interface are read as viem and ethers wrote them", { timeout }, () => {
    fc.assert(
      fc.property(callSample, fc.uint8Array({ maxLength: 40 }), (sample, suffix) => {
        const { called, signature, given, expected } = sample;
        const abi = parseContractAbi(JSON.stringify([called]));
        const selector = toFunctionSelector(signature);
        expect(abi.functions.get(selector)).toMatchObject({ name: "called", signature, selector });
        const data = encodeFunctionData({ abi: [called], args: given });
        expect(new Interface(JSON.stringify([called])).encodeFunctionData("called", given)).toBe(
          data,
        );
        expect(decodeCall(abi, concatBytes(decodeHex(data.slice(2)), suffix))).toEqual({
          kind: "decoded",
          functionName: "called",
          selector,
          arguments: expected,
          suffix,
        });
      }),
      { numRuns },
    );
  });

  test("with one byte changed are unreadable, or another call", { timeout }, () => {
    const outcomes = { decoded: 0, undecodable: 0, unknown: 0 };
    const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(callSample, change, ({ called, given, expected }, { at, by }) => {
        const abi = parseContractAbi(JSON.stringify([called]));
        const data = decodeHex(encodeFunctionData({ abi: [called], args: given }).slice(2));
        const index = at % data.length;
        data[index] = (data[index] as number) ^ by;
        const decoded = decodeCall(abi, data);
        outcomes[decoded?.kind ?? "unknown"]++;
        if (decoded === null) expect(index).toBeLessThan(4);
        if (decoded?.kind !== "decoded") return;
        const read = decoded.arguments.map(({ value }) => argumentOf(value));
        const again = encodeFunctionData({ abi: [called], args: read });
        expect(again + hex(decoded.suffix).slice(2)).toBe(hex(data));
        expect(decoded.arguments).not.toEqual(expected);
      }),
      { numRuns: 5 * numRuns },
    );
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(numRuns / 20);
  });

  test("of functions that the interface lacks are unknown, and so is data without a selector", () => {
    const abi = parseContractAbi(
      JSON.stringify([{ type: "function", name: "f", inputs: [] }, { type: "receive" }]),
    );
    expect(decodeCall(abi, decodeHex("00000000"))).toBeNull();
    expect(decodeCall(abi, decodeHex("26121f"))).toBeNull();
    expect(decodeCall(abi, new Uint8Array(0))).toBeNull();
    expect(decodeCall(abi, decodeHex("26121ff0"))).toEqual({
      kind: "decoded",
      functionName: "f",
      selector: "0x26121ff0",
      arguments: [],
      suffix: new Uint8Array(0),
    });
  });

  test("keep the declared type of every value", () => {
    const data = decodeWords(
      [
        unnamed("int8"),
        unnamed("function"),
        unnamed("bool"),
        unnamed("tuple[1]", [unnamed("uint8"), unnamed("bytes3")]),
      ],
      word(-128),
      `${"ab".repeat(24)}${"00".repeat(8)}`,
      word(1),
      word(255),
      `010203${"00".repeat(29)}`,
    );
    const values = data?.kind === "decoded" ? data.arguments.map(({ value }) => value) : [];
    expect(values).toEqual<AbiValue[]>([
      { kind: "int", type: "int8", value: -128n },
      { kind: "bytes", type: "function", bytes: new Uint8Array(24).fill(0xab) },
      { kind: "bool", type: "bool", value: true },
      {
        kind: "array",
        type: "(uint8,bytes3)[1]",
        items: [
          {
            kind: "tuple",
            type: "(uint8,bytes3)",
            items: [
              { kind: "uint", type: "uint8", value: 255n },
              { kind: "bytes", type: "bytes3", bytes: Uint8Array.of(1, 2, 3) },
            ],
          },
        ],
      },
    ]);
  });
});

describe("arguments that are not in the canonical encoding are not read", () => {
  const text = (hexDigits: string) => hexDigits.padEnd(64, "0");
  test.each<[what: string, types: string[], words: string[], reason: string]>([
    [
      "an address of 21 bytes",
      ["address"],
      [word(2n ** 160n)],
      "byte 15: expected a zero of padding",
    ],
    ["a bool that is 2", ["bool"], [word(2)], "byte 4: more than 1 bits"],
    ["a uint8 of 9 bits", ["uint8"], [word(256)], "byte 4: more than 8 bits"],
    ["a negative uint8", ["uint8"], [word(-1)], "byte 4: more than 8 bits"],
    ["an int8 of 9 bits", ["int8"], [word(128)], "byte 4: more than 8 bits"],
    ["an int8 without its sign", ["int8"], [word(255)], "byte 4: more than 8 bits"],
    ["bytes2 of 3 bytes", ["bytes2"], [text("010203")], "byte 6: expected a zero of padding"],
    [
      "a function of 25 bytes",
      ["function"],
      [text("01".repeat(25))],
      "byte 28: expected a zero of padding",
    ],
    [
      "bytes with dirty padding",
      ["bytes"],
      [word(32), word(1), text("0101")],
      "byte 69: expected a zero of padding",
    ],
    [
      "bytes without padding",
      ["bytes"],
      [word(32), word(1), "01"],
      "byte 68: the data ends before its values",
    ],
    [
      "a string that is not UTF-8",
      ["string"],
      [word(32), word(1), text("ff")],
      "byte 36: a string that is not UTF-8",
    ],
    [
      "a length beyond the data",
      ["bytes"],
      [word(32), word(33), text("")],
      "byte 68: the data ends before its values",
    ],
    [
      "a length of 2^32",
      ["bytes"],
      [word(32), word(2n ** 32n)],
      "byte 63: expected a zero of padding",
    ],
    [
      "a length of 2^256 - 1",
      ["uint8[]"],
      [word(32), word(-1)],
      "byte 36: expected a zero of padding",
    ],
    [
      "more elements than data",
      ["uint8[]"],
      [word(32), word(2), word(1)],
      "byte 68: the data ends before its values",
    ],
    [
      "an offset to itself",
      ["bytes"],
      [word(0)],
      "byte 4: offset is not 32, where the value before it ends",
    ],
    [
      "an offset that leaves a gap",
      ["bytes"],
      [word(64), word(0), word(0)],
      "byte 4: offset is not 32, where the value before it ends",
    ],
    [
      "an offset beyond the data",
      ["bytes"],
      [word(2 ** 31)],
      "byte 4: offset is not 32, where the value before it ends",
    ],
    [
      "one value for two arguments",
      ["bytes", "bytes"],
      [word(64), word(64), word(0)],
      "byte 36: offset is not 96, where the value before it ends",
    ],
    [
      "values in reverse order",
      ["bytes", "bytes"],
      [word(96), word(64), word(0), word(0)],
      "byte 4: offset is not 64, where the value before it ends",
    ],
    ["no data", ["uint8"], [], "byte 4: the data ends before its values"],
    ["half a word", ["uint8"], ["00".repeat(16)], "byte 4: the data ends before its values"],
    ["no tail", ["bytes"], [word(32)], "byte 36: the data ends before its values"],
    [
      "an element of a tail that is missing",
      ["bytes[]"],
      [word(32), word(1), word(32)],
      "byte 100: the data ends before its values",
    ],
  ])("%s", (_, types, words, reason) => {
    expect(refusal(types, ...words)).toBe(`data, ${reason}`);
  });

  test("the name of the function and its selector are still known", () => {
    expect(decodeWords([unnamed("bool")], word(2))).toEqual({
      kind: "undecodable",
      functionName: "f",
      selector: "0x98c3a6c1",
      reason: "data, byte 4: more than 1 bits",
    });
  });

  test("a bomb costs no more than the length of its data", () => {
    // Arrays of two equal elements, each of which is such an array.
    const pair = [word(2), word(64), word(64)];
    const started = cpuMs();
    expect(refusal(["uint8[][][]"], word(32), ...pair, ...pair, ...pair)).toBe(
      "data, byte 196: offset is not 160, where the value before it ends",
    );
    const many = [word(32), word(10_000), ...Array(10_000).fill(word(1))];
    expect(refusal(["uint8[]"], ...many)).toBe("data, byte 320036: more than 10000 values");
    expect(refusal(["bytes[999999999]"], word(32), word(0))).toBe(
      "data, byte 36: the data ends before its values",
    );
    expect(cpuMs() - started).toBeLessThan(1000);
  });
});

describe("interfaces", () => {
  test("as compilers write them are read completely", () => {
    const items = parseAbi([
      "function transfer(address to, uint256 amount) returns (bool ok)",
      "function transfer(address to)",
      "function submit((address owner, (uint8 kind, bytes data)[] parts)[2][] orders) payable",
      "event Transfer(address indexed from, address indexed to, uint256 amount)",
      "error Refused(uint256 code)",
      "constructor(address owner)",
      "fallback() external",
      "receive() external payable",
    ]);
    const withMore = items.map((item) => ({ ...item, internalNote: { any: [1, null] } }));
    const { functions } = parseContractAbi(JSON.stringify(withMore));
    const signatures = Array.from(functions.values(), ({ signature }) => signature);
    expect(signatures).toEqual([
      "transfer(address,uint256)",
      "transfer(address)",
      "submit((address,(uint8,bytes)[])[2][])",
    ]);
    for (const [selector, { signature }] of functions) {
      expect(selector).toBe(toFunctionSelector(signature));
    }
  });

  test("may repeat a function, and may leave out members with a default", () => {
    const entry = { name: "f", inputs: [{ name: "a", type: "uint8" }] };
    const other = { ...entry, type: "function", outputs: [], stateMutability: "view" };
    expect(parseContractAbi(JSON.stringify([entry, other])).functions.size).toBe(1);
    expect(parseContractAbi("[]").functions.size).toBe(0);
  });

  const f = (inputs: unknown) => [{ type: "function", name: "f", inputs }];
  const p = (type: unknown, more = {}) => f([{ name: "a", type, ...more }]);
  const deep = (levels: number): Parameter =>
    levels === 0 ? unnamed("uint8") : unnamed("tuple", [deep(levels - 1)]);
  test.each<[what: string, abi: unknown, reason: string]>([
    ["no list", {}, ": expected a list, got an object"],
    ["an entry that is no object", [1], ": entry 0: expected an object, got a number"],
    ["an entry that is null", [null], ": entry 0: expected an object, got null"],
    [
      "an unknown entry",
      [{ type: "struct" }],
      ": entry 0: type `struct` is not one of function, constructor, event, error, fallback, receive",
    ],
    [
      "a type of an entry that is no text",
      [{ type: 1 }],
      ": entry 0: type of another kind is not one of function, constructor, event, error, fallback, receive",
    ],
    [
      "a function without a name",
      [{ type: "function", inputs: [] }],
      ": entry 0, name: expected a string, got nothing",
    ],
    [
      "a function whose name is none",
      [{ name: "f(", inputs: [] }],
      ": entry 0, name: `f(` is not an identifier",
    ],
    [
      "a function without inputs",
      [{ name: "f" }],
      ": entry 0 (f), inputs: expected a list, got nothing",
    ],
    [
      "an input without a name",
      f([{ type: "uint8" }]),
      ": entry 0 (f), inputs 0: member `name` is missing; it may be the empty string",
    ],
    [
      "an output of an unknown type",
      [{ name: "f", inputs: [], outputs: [{ type: "boolean" }] }],
      ": entry 0 (f), outputs 0 (``): unknown type `boolean`",
    ],
    [
      "an event's input without a name",
      [{ type: "event", name: "E", inputs: [{ type: "bool" }] }],
      ": entry 0, inputs 0: member `name` is missing; it may be the empty string",
    ],
    [
      "a component without a name",
      p("tuple", { components: [{ type: "bool" }] }),
      ": entry 0 (f), inputs 0 (`a`), components 0: member `name` is missing; it may be the empty string",
    ],
    [
      "a name that is no text",
      f([{ name: 1, type: "bool" }]),
      ": entry 0 (f), inputs 0, name: expected a string, got a number",
    ],
    [
      "a name without end",
      f([{ name: "a".repeat(257), type: "bool" }]),
      ": entry 0 (f), inputs 0, name: has 257 characters; at most 256 are allowed",
    ],
    [
      "two inputs of one name",
      f([
        { name: "a", type: "bool" },
        { name: "a", type: "int8" },
      ]),
      ": entry 0 (f), inputs: two are named `a`",
    ],
    [
      "no type",
      f([{ name: "a" }]),
      ": entry 0 (f), inputs 0 (`a`), type: expected a string, got nothing",
    ],
    ["an alias", p("uint"), ": entry 0 (f), inputs 0 (`a`): unknown type `uint`: write `uint256`"],
    [
      "an alias in an array",
      p("int[2][]"),
      ": entry 0 (f), inputs 0 (`a`): unknown type `int`: write `int256`",
    ],
    [
      "an empty tuple",
      p("tuple", { components: [] }),
      ": entry 0 (f), inputs 0 (`a`), components: must not be empty",
    ],
    [
      "a tuple without components",
      p("tuple"),
      ": entry 0 (f), inputs 0 (`a`), components: expected a list, got nothing",
    ],
    [
      "an array larger than memory",
      p("uint8[999999][999999]"),
      ": entry 0 (f), inputs 0 (`a`): is larger than any call",
    ],
    [
      "17 arrays",
      p(`uint8${"[]".repeat(17)}`),
      ": entry 0 (f), inputs 0 (`a`): arrays and tuples are nested more than 16 levels deep",
    ],
    [
      "17 tuples",
      f([deep(17)]),
      `: entry 0 (f), inputs 0 (\`\`)${", components 0 (``)".repeat(17)}: arrays and tuples are nested more than 16 levels deep`,
    ],
    [
      "two functions of one selector",
      [
        ...parseAbi(["function many_msg_babbage(bytes1 a)"]),
        ...parseAbi(["function transfer(address to, uint256 amount)"]),
      ].map((entry) => ({ ...entry, outputs: [] })),
      ": entry 1: `transfer(address,uint256)` has the same selector 0xa9059cbb as `many_msg_babbage(bytes1)` above it; keep one of them",
    ],
    [
      "two functions of one selector whose inputs have one name",
      parseAbi(["function burn(uint256 a)", "function collate_propagate_storage(bytes16 a)"]),
      ": entry 1: `collate_propagate_storage(bytes16)` has the same selector 0x42966c68 as `burn(uint256)` above it; keep one of them",
    ],
    [
      "one function with other names",
      [...p("bool"), ...f([{ name: "b", type: "bool" }])],
      ": entry 1: `f(bool)` has the same selector 0x98c3a6c1 as `f(bool)` above it; keep one of them",
    ],
  ])("with %s are refused", (_, abi, reason) => {
    expect(() => parseContractAbi(JSON.stringify(abi))).toThrow(
      new MalformedError(`provided ABI is invalid${reason}`),
    );
  });

  test.each([
    "uint7",
    "uint0",
    "uint08",
    "uint264",
    "int",
    "bytes0",
    "bytes33",
    "bytes01",
    "Address",
    "fixed128x18",
    "string ",
    "uint8[0]",
    "uint8[01]",
    "uint8[1000000000]",
    "uint8[",
    "uint8]",
    "uint8[-1]",
    "[]",
    "",
    "tuple(uint8)",
    "toString",
    "__proto__",
  ])("with the type `%s` are refused", (type) => {
    expect(() => parseContractAbi(JSON.stringify(p(type)))).toThrow(/: unknown type `/);
  });

  test("of 16 nested tuples are read", () => {
    expect(parseContractAbi(JSON.stringify(f([deep(16)]))).functions.size).toBe(1);
  });

  test("that are not JSON, repeat a key, or never end are refused", () => {
    const refused = (json: string) => expect(() => parseContractAbi(json)).toThrow(MalformedError);
    refused("");
    refused("[");
    refused('[{"type":"function","name":"f","name":"g","inputs":[]}]');
    refused('[{"type":"receive","__proto__":{"type":"function"}}]');
    refused("[".repeat(70) + "]".repeat(70));
    expect(() => parseContractAbi(`[${" ".repeat(MAX_ABI_LENGTH)}]`)).toThrow(
      new MalformedError(
        "provided ABI is invalid: the text has 400002 characters; at most 400000 are allowed",
      ),
    );
  });

  test.each([
    [
      "inputs in many arrays",
      (i: number) => ({
        name: `f${i}`,
        inputs: Array.from({ length: 8 }, (_, k) => ({
          name: `${k}`,
          type: `bool${"[]".repeat(14)}`,
        })),
      }),
      856,
    ],
    [
      "inputs",
      (i: number) => ({
        name: `f${i}`,
        inputs: Array.from({ length: 13 }, () => ({ name: "", type: "bool" })),
      }),
      856,
    ],
    [
      "outputs",
      (i: number) => ({ name: `f${i}`, inputs: [], outputs: Array(13).fill({ type: "bool" }) }),
      856,
    ],
    [
      "inputs of events",
      () => ({ type: "event", name: "e", inputs: Array(13).fill({ name: "", type: "bool" }) }),
      856,
    ],
    ["tuples in tuples", (i: number) => ({ name: `f${i}`, inputs: [deep(14)] }), 360],
  ])("with so many %s that parsing takes long are refused", (_, entry, length) => {
    const text = JSON.stringify(Array.from({ length }, (_, i) => entry(i)));
    expect(text.length).toBeLessThan(MAX_ABI_LENGTH);
    expect(() => parseContractAbi(text)).toThrow(
      new MalformedError(
        "provided ABI is invalid: more than 5000 inputs, outputs and components, with each `[]` counted too: leave out functions that no policy reads",
      ),
    );
  });

  test("of the maximum size are read quickly", () => {
    const parameter = JSON.stringify({ name: "", type: "uint8" });
    const inputs = Array(5000).fill(parameter).join(",");
    const wide = `[{"name":"f","inputs":[${inputs}]}]`;
    const tuple = `{"name":"","type":"tuple","components":[`;
    const functions = Array.from({ length: 13_000 }, (_, i) => `{"name":"f${i}","inputs":[]}`);
    const started = cpuMs();
    expect(parseContractAbi(wide).functions.size).toBe(1);
    expect(parseContractAbi(`[${functions.slice(0, 1000)}]`).functions.size).toBe(1000);
    expect(() => parseContractAbi(`[${functions}]`)).toThrow(
      new MalformedError("provided ABI is invalid: more than 1000 functions"),
    );
    const nested = `[{"name":"f","inputs":[${tuple.repeat(15)}${Array(4985).fill(parameter).join(",")}${"]}".repeat(15)}]}]`;
    expect(parseContractAbi(nested).functions.size).toBe(1);
    expect(cpuMs() - started).toBeLessThan(3000);
    // Anyone, also without a right to sign, can have a text parsed with each request, if an organization has several.
    const again = cpuMs();
    for (let i = 0; i < 10; i++) expect(() => parseContractAbi(`[${functions}]`)).toThrow();
    expect(cpuMs() - again).toBeLessThan(1000);
  });
});
