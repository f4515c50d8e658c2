import { hashAuthorization as hashWithViem } from "viem/utils";
import { expect, test } from "vitest";

import { encodeHex } from "../encoding.ts";
import { hashAuthorization, parseAuthorization } from "./eip-7702.ts";

test("an authorization hashes as viem hashes it", () => {
  const authorization = {
    address: "0x000000000000000000000000000000000000dEaD",
    chainId: 1,
    nonce: 7,
  } as const;
  const parsed = parseAuthorization(JSON.stringify(authorization));
  expect(`0x${encodeHex(hashAuthorization(parsed))}`).toBe(hashWithViem(authorization));
});
