import { base58 } from "@scure/base";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";

import { decodeBase58, encodeBase58 } from "./base58.ts";
import {
  concatBytes,
  decodeBase64Url,
  decodeHex,
  decodeUtf8,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
  equalBytes,
  isWellFormed,
  wipe,
} from "./bytes.ts";

const bytes = () => fc.uint8Array({ maxLength: 80 });

describe("encoded bytes decode to themselves", () => {
  test("in hex, as in Node", () => {
    fc.assert(
      fc.property(bytes(), (data) => {
        expect(encodeHex(data)).toBe(Buffer.from(data).toString("hex"));
        expect(decodeHex(encodeHex(data))).toEqual(data);
        expect(decodeHex(encodeHex(data).toUpperCase())).toEqual(data);
      }),
    );
  });

  test.each([4095, 4096, 4097, 8192, 20_000])("in hex, %d of them", (length) => {
    const data = Uint8Array.from({ length }, (_, i) => i * 31);
    expect(encodeHex(data)).toBe(Buffer.from(data).toString("hex"));
  });

  test("in base64url, as in Node", () => {
    fc.assert(
      fc.property(bytes(), (data) => {
        expect(encodeBase64Url(data)).toBe(Buffer.from(data).toString("base64url"));
        expect(decodeBase64Url(encodeBase64Url(data))).toEqual(data);
      }),
    );
  });

  test("in base58, as in @scure/base", () => {
    fc.assert(
      fc.property(fc.nat({ max: 3 }), bytes(), (zeros, data) => {
        const padded = concatBytes(new Uint8Array(zeros), data);
        expect(encodeBase58(padded)).toBe(base58.encode(padded));
      }),
      { numRuns: 2000 },
    );
    const texts = fc.string({ unit: fc.constantFrom(..."12Az"), maxLength: 40 });
    fc.assert(
      fc.property(texts, (text) => {
        const data = decodeBase58(text);
        expect(data).toEqual(base58.decode(text));
        expect(encodeBase58(data)).toBe(text);
      }),
      { numRuns: 2000 },
    );
    expect(encodeBase58(encodeUtf8("Hello World!"))).toBe("2NEpo7TZRRrLZSi2U");
  });

  test("in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => decodeUtf8(encodeUtf8(text)) === text),
    );
    expect(decodeUtf8(encodeUtf8("\ufeffa"))).toBe("\ufeffa");
  });
});

test("only one text decodes to given bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."AQgw-_"), maxLength: 12 }), (text) => {
      let decoded: Uint8Array;
      try {
        decoded = decodeBase64Url(text);
      } catch {
        return;
      }
      expect(encodeBase64Url(decoded)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test.each(["0", "0x00", "0g", " 00", "00\n", "०0"])("%j is not hex", (text) => {
  expect(() => decodeHex(text)).toThrow(/^malformed hex$/);
});

test.each(["A", "AA==", "AB", "AAB", "A+", "A/AA", "AA AA", "AA\n", "AAé"])(
  "%j is not base64url",
  (text) => {
    expect(() => decodeBase64Url(text)).toThrow(/^malformed base64url$/);
  },
);

test("base58 has no 0, O, I or l", () => {
  for (const text of ["0", "O", "I", "l", " 1"]) {
    expect(() => decodeBase58(text)).toThrow(/^malformed base58$/);
  }
});

test.each(["ff", "c080", "eda080", "f4908080", "c3"])("%s is not UTF-8", (hex) => {
  expect(() => decodeUtf8(decodeHex(hex))).toThrow(/^malformed utf-8$/);
});

test("a lone surrogate has no bytes", () => {
  expect(() => encodeUtf8("\ud800")).toThrow(/^malformed text$/);
});

test("equality compares lengths and every byte", () => {
  fc.assert(
    fc.property(bytes(), bytes(), (a, b) => equalBytes(a, b) === (encodeHex(a) === encodeHex(b))),
  );
});

test("parts are joined in order and secrets are overwritten", () => {
  const whole = concatBytes(Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3));
  expect(whole).toEqual(Uint8Array.of(1, 2, 3));
  wipe(whole);
  expect(whole).toEqual(new Uint8Array(3));
});

describe("without the methods that React Native lacks,", () => {
  test("the same texts are well-formed", () => {
    const { isWellFormed: own } = String.prototype;
    const surrogates = fc.constantFrom("\ud83d", "\udc4b", "a", "é");
    fc.assert(
      fc.property(fc.string({ unit: surrogates, maxLength: 8 }), (text) => {
        const expected = text.isWellFormed();
        Reflect.deleteProperty(String.prototype, "isWellFormed");
        try {
          expect(isWellFormed(text)).toBe(expected);
        } finally {
          Object.defineProperty(String.prototype, "isWellFormed", {
            value: own,
            configurable: true,
            writable: true,
          });
        }
      }),
    );
  });

  test("the same bytes are UTF-8, and have the same text", () => {
    const decode = (data: Uint8Array) => {
      try {
        return decodeUtf8(data);
      } catch (error) {
        return String(error);
      }
    };
    const some = fc.oneof(
      bytes(),
      fc.string({ unit: "binary" }).map((text) => new Uint8Array(Buffer.from(text))),
      // The edges of what UTF-8 allows.
      fc
        .array(
          fc.constantFrom(0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xa0, 0xef, 0xf0, 0xf4, 0x90),
        )
        .map((list) => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(some, (data) => {
        const expected = decode(data);
        vi.stubGlobal("TextDecoder", undefined);
        try {
          expect(decode(data)).toBe(expected);
        } finally {
          vi.unstubAllGlobals();
        }
      }),
      { numRuns: 2000 },
    );
    vi.stubGlobal("TextDecoder", undefined);
    try {
      expect(decodeUtf8(decodeHex("efbbbf61"))).toBe("\ufeffa");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

/** Another address, so that the module runs once more. */
const anotherCopy = new URL("./bytes.ts?without-encoders", import.meta.url).href;

test("a runtime without encoders of text can import it and use the rest", async () => {
  vi.stubGlobal("TextEncoder", undefined);
  vi.stubGlobal("TextDecoder", undefined);
  try {
    const encoding = await import(anotherCopy);
    expect(encoding.decodeHex("c3a9")).toEqual(Uint8Array.of(0xc3, 0xa9));
    // The input is not at fault, so the error is not that of malformed text.
    expect(() => encoding.encodeUtf8("é")).toThrow("TextEncoder");
    expect(encoding.decodeUtf8(Uint8Array.of(0xc3, 0xa9))).toBe("é");
    vi.unstubAllGlobals();
    expect(encoding.encodeUtf8("é")).toEqual(Uint8Array.of(0xc3, 0xa9));
    expect(encoding.decodeUtf8(Uint8Array.of(0xc3, 0xa9))).toBe("é");
  } finally {
    vi.unstubAllGlobals();
  }
});
