import fc from "fast-check";
import { expect, test } from "vitest";
import { publicKeyOf } from "../keys/keys.ts";
import { canonicalAddress } from "./canonical.ts";
import { type AddressFormatName, addressEncodings } from "./formats.ts";

const formats = Object.keys(addressEncodings) as AddressFormatName[];

const privateKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  // The highest byte keeps it below the order of every curve, and the lowest above zero.
  .map((bytes) => Uint8Array.from(bytes, (byte, i) => (i === 0 ? 1 : i === 31 ? byte | 1 : byte)));

function addressOf(format: AddressFormatName, key: Uint8Array): string {
  const { curves, encode } = addressEncodings[format];
  return encode(publicKeyOf(curves[0], key), curves[0]);
}

/** The text with letters in another case, a prefix, and a character in between. */
function mutationOf(address: string): fc.Arbitrary<string> {
  const cases = fc.oneof(
    fc.constant(address.toLowerCase()),
    fc.constant(address.toUpperCase()),
    fc.constant(`0x${address.slice(2).toUpperCase()}`),
    fc
      .array(fc.boolean(), { minLength: address.length, maxLength: address.length })
      .map((flips) => [...address].map((each, i) => (flips[i] ? otherCase(each) : each)).join("")),
  );
  const prefix = fc.constantFrom("", "", "", "0x", "0X", "bitcoin:", " ");
  const between = fc.constantFrom("", "", "", "-", "_", " ", "\u200b");
  return fc
    .tuple(cases, prefix, between, fc.nat(address.length))
    .map(([text, before, infix, at]) => `${before}${text.slice(0, at)}${infix}${text.slice(at)}`);
}

function otherCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

test("there are 36 formats", () => {
  expect(formats).toHaveLength(36);
});

test.each(formats)(
  "an address of %s is its own canonical text, and few others lead to it",
  (format) => {
    const property = fc.property(
      privateKey.chain((key) => {
        const address = addressOf(format, key);
        return fc.tuple(fc.constant(address), mutationOf(address));
      }),
      ([address, given]) => {
        expect(canonicalAddress(address)).toBe(address);
        const digits = address.slice(2);
        const others =
          format === "ADDRESS_FORMAT_ETHEREUM"
            ? [`0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]
            : [];
        expect(canonicalAddress(given) === address).toBe([address, ...others].includes(given));
      },
    );
    fc.assert(property, { numRuns: 60 });
  },
);

test("what stands for another text is written by no format", () => {
  const text = fc
    .constantFrom(...formats)
    .chain((format) => privateKey.map((key) => addressOf(format, key)));
  const property = fc.property(text, text, (one, other) => {
    expect(canonicalAddress(one) === canonicalAddress(other)).toBe(one === other);
    expect(canonicalAddress(canonicalAddress(one))).toBe(one);
  });
  fc.assert(property, { numRuns: 200 });
});
