import { parseTypedData } from "@keyhearth/crypto/transactions/typed-data";
import { hashTypedData } from "@keyhearth/crypto/transactions/typed-data-hash";
import { makeEnvironment } from "@keyhearth/policy/environment";
import { compile, evaluateDenial } from "@keyhearth/policy/evaluate";
import fc from "fast-check";
import { expect, test } from "vitest";
import { typedDataRoots } from "./ethereum-messages.ts";

/** A payload whose one member is written exactly like this. */
function payloadOf(type: string, written: string) {
  const types = `{"Order":[{"name":"amount","type":"${type}"}]}`;
  return `{"types":${types},"primaryType":"Order","domain":{"name":"Orders"},"message":{"amount":${written}}}`;
}

/** Undefined if the payload is refused, so that nothing is signed. */
function read(type: string, written: string) {
  try {
    const typedData = parseTypedData(payloadOf(type, written));
    const digest = Buffer.from(hashTypedData(typedData)).toString("hex");
    return { digest, environment: makeEnvironment(typedDataRoots(typedData)) };
  } catch {
    return undefined;
  }
}

function denies(condition: string, environment: ReturnType<typeof makeEnvironment>) {
  return evaluateDenial(compile("condition", condition), environment);
}

/** Every way to write the integer that comes to mind, accepted or not. */
function spellingsOf(value: bigint): string[] {
  const [sign, size] = value < 0n ? ["-", -value] : ["", value];
  const [decimal, hex] = [String(size), size.toString(16)];
  const padded = hex.padStart(64, "0");
  return [
    ...[`${sign}${decimal}`, `${sign}${decimal}.0`, `${sign}${decimal}e0`, `${sign}0${decimal}`],
    ...[decimal, `00${decimal}`, `+${decimal}`, ` ${decimal}`, `${decimal} `, `${decimal}n`].map(
      (text) => `"${sign}${text}"`,
    ),
    ...[`0x${hex}`, `0X${hex}`, `0x0${hex}`, `0x${padded}`, `0x${hex.toUpperCase()}`].map(
      (text) => `"${sign}${text}"`,
    ),
    `"0x${BigInt.asUintN(256, value).toString(16)}"`,
    `[${sign}${decimal}]`,
    `{"amount":${sign}${decimal}}`,
    "null",
    "true",
  ];
}

const integer = fc
  .tuple(fc.constantFrom("uint", "int"), fc.integer({ min: 1, max: 32 }))
  .chain(([kind, bytes]) => {
    const bits = BigInt(8 * bytes);
    const [min, max] =
      kind === "uint" ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    const value = fc.oneof(fc.bigInt(min, max), fc.constantFrom(min, max), fc.bigInt(0n, 100n));
    return fc.record({ type: fc.constant(`${kind}${bits}`), value });
  });

const limit = fc.oneof(
  fc.bigInt(-(2n ** 127n), 2n ** 256n - 1n),
  fc.bigInt(-10n, 100n),
  fc.constantFrom(1000n, 2n ** 53n, 2n ** 127n - 1n, 2n ** 255n - 1n),
);

test("a limit on an integer is exact arithmetic, however the integer is written", () => {
  let [tried, exceeded] = [0, 0];
  fc.assert(
    fc.property(integer, limit, ({ type, value }, most) => {
      const plain = read(type, `"${value}"`);
      for (const written of spellingsOf(value)) {
        const other = read(type, written);
        if (!other || other.digest !== plain?.digest) continue;
        const bounds = [most, value - 1n, value, value + 1n].filter((bound) => {
          return bound >= -(2n ** 127n) && bound < 2n ** 256n;
        });
        for (const bound of bounds) {
          const isMore = denies(`eth.eip_712.message['amount'] > ${bound}`, other.environment);
          expect(isMore).toBe(value > bound);
          const isEqual = denies(`eth.eip_712.message['amount'] == ${bound}`, other.environment);
          expect(isEqual).toBe(value === bound);
          if (value > bound) exceeded++;
        }
        tried++;
      }
    }),
    { numRuns: 500 },
  );
  expect(tried).toBeGreaterThan(1500);
  expect(exceeded).toBeGreaterThan(1500);
});

test("an amount of 5,000 exceeds a limit of 1,000 in every spelling that is signed", () => {
  const condition = "eth.eip_712.message['amount'] > 1000";
  const verdicts = spellingsOf(5000n).map((written) => {
    const payload = read("uint256", written);
    return [written, payload ? denies(condition, payload.environment) : "refused"];
  });
  const denied = verdicts.filter(([, verdict]) => verdict === true).map(([written]) => written);
  expect(denied).toEqual([
    "5000",
    "5000.0",
    "5000e0",
    '"5000"',
    '"0x1388"',
    '"0x01388"',
    `"0x${"1388".padStart(64, "0")}"`,
    '"0x1388"',
    '"0x1388"',
  ]);
  expect(verdicts.every(([, verdict]) => verdict === true || verdict === "refused")).toBe(true);
});

test.each([
  ["address", '"0xd8da6bf26964af9d7eed9e03e53415d37aa96045"'],
  ["address", '"0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045"'],
  ["address", '"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"'],
  ["bytes20", '"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"'],
  ["bytes", '"0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045"'],
])("an %s of %s is compared by its bytes", (type, written) => {
  const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
  const payload = read(type, written);
  if (!payload) throw new Error("refused");
  for (const spelling of [address, address.toLowerCase()]) {
    const condition = `eth.eip_712.message['amount'] == '${spelling}'`;
    expect(denies(condition, payload.environment)).toBe(true);
  }
});

test.each([
  ["string", '"5000"'],
  ["bytes", '"0x1388"'],
  ["bool", "true"],
  ["uint256[]", "[5000]"],
])("a member that is declared as %s and compared with a number is an error", (type, written) => {
  const payload = read(type, written);
  if (!payload) throw new Error("refused");
  const verdict = denies("eth.eip_712.message['amount'] > 1000", payload.environment);
  expect(verdict).toMatchObject({ kind: "failure" });
  expect(verdict).not.toHaveProperty("absent");
});
