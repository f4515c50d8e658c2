import { addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { expect, test } from "vitest";
import { caip2PrefixOf } from "./caip2-prefix.ts";

test.each(Object.keys(addressEncodings))(
  "%s has a namespace, unless it is a public key",
  (format) => {
    const isKey = /_(UN)?COMPRESSED$/.test(format);
    expect(caip2PrefixOf(format)).toEqual(
      isKey ? undefined : expect.stringMatching(/^[-a-z0-9]{3,8}$/),
    );
  },
);

test("networks of one chain share a namespace", () => {
  expect(caip2PrefixOf("ADDRESS_FORMAT_ETHEREUM")).toBe("eip155");
  expect(caip2PrefixOf("ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR")).toBe("bip122");
  expect(caip2PrefixOf("ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH")).toBe("bip122");
});
