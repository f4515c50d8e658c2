import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { hexOf } from "./ethereum-roots.ts";

test.each([0, 1, 20, 68, 1023, 1024, 1025, 2048, 5000])(
  "%i bytes are written as `0x` and lower-case digits",
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 167 + 13) % 256);
    expect(hexOf(bytes)).toBe(`0x${encodeHex(bytes)}`);
  },
);
