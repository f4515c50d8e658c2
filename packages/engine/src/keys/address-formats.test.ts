import { newOrganization } from "@keyhearth/api/testing";
import {
  type AddressEncoding,
  type AddressFormatName,
  addressEncodings,
} from "@keyhearth/crypto/addresses/formats";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { Curve } from "@keyhearth/crypto/keys/keys";
import { taprootOutputKey } from "@keyhearth/crypto/keys/taproot";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { SignRawPayloadResult } from "@keyhearth/sdk";
import { ed25519 } from "@noble/curves/ed25519";
import { p256 } from "@noble/curves/nist";
import { schnorr, secp256k1 } from "@noble/curves/secp256k1";
import { expect, test } from "vitest";
import { badRequest, first, refusal, submit } from "../organization.testing.ts";

const message = encodeUtf8("hello");

// Keys of an object are strings to the compiler.
const formats = (Object.keys(addressEncodings) as AddressFormatName[]).flatMap((addressFormat) => {
  const { curves }: AddressEncoding = addressEncodings[addressFormat];
  return curves.map((curve) => ({ addressFormat, curve }));
});

function verify(
  { r, s }: SignRawPayloadResult,
  publicKey: Uint8Array,
  { addressFormat, curve }: { addressFormat: string; curve: Curve },
): boolean {
  const signature = decodeHex(`${r}${s}`);
  const digest = sha256(message);
  const lowS = { prehash: false, lowS: true };
  switch (curve) {
    case "CURVE_ED25519":
      return ed25519.verify(signature, message, publicKey);
    case "CURVE_P256":
      return p256.verify(signature, digest, publicKey, lowS);
    case "CURVE_SECP256K1":
      return addressFormat.endsWith("P2TR")
        ? schnorr.verify(signature, digest, taprootOutputKey(publicKey))
        : secp256k1.verify(signature, digest, publicKey, lowS);
  }
}

function request(signWith: string, curve: Curve) {
  return {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction:
      curve === "CURVE_ED25519" ? "HASH_FUNCTION_NOT_APPLICABLE" : "HASH_FUNCTION_SHA256",
  } as const;
}

test("a wallet has accounts of every format, and each address signs", async () => {
  const { root } = await newOrganization();
  const { walletId, addresses } = await root.createWallet({
    walletName: "every format",
    accounts: formats.map(({ addressFormat, curve }, index) => ({
      addressFormat,
      curve,
      pathFormat: "PATH_FORMAT_BIP32",
      path: `m/44'/${index}'/0'/0'/0'`,
    })),
  });
  const { accounts } = await root.listWalletAccounts({
    walletId,
    paginationOptions: { limit: "100" },
  });
  expect(addresses).toHaveLength(formats.length);

  for (const [index, { addressFormat, curve }] of formats.entries()) {
    const address = addresses[index] ?? "";
    const account = accounts.find((each) => each.address === address);
    expect(account).toMatchObject({ addressFormat, curve });
    const publicKey = decodeHex(account?.publicKey ?? "");
    expect(addressEncodings[addressFormat].encode(publicKey, curve)).toBe(address);
    const signature = await root.signRawPayload(request(address, curve));
    expect(verify(signature, publicKey, { addressFormat, curve })).toBe(true);
  }
});

test("a private key signs for Taproot by that address, and with ECDSA by its id", async () => {
  const { root } = await newOrganization();
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "both",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR"],
      },
    ],
  });
  const { privateKeyId = "", addresses = [] } = first(privateKeys);
  const { privateKey } = await root.getPrivateKey({ privateKeyId });
  const publicKey = decodeHex(privateKey.publicKey);
  const [ethereum, taproot] = addresses.map(({ address = "" }) => address);
  const curve = "CURVE_SECP256K1";
  const ecdsa = { addressFormat: "ADDRESS_FORMAT_ETHEREUM", curve } as const;
  const bip340 = { addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR", curve } as const;

  for (const signWith of [privateKeyId, ethereum ?? ""]) {
    const signature = await root.signRawPayload(request(signWith, curve));
    expect(verify(signature, publicKey, ecdsa)).toBe(true);
  }
  const signature = await root.signRawPayload(request(taproot ?? "", curve));
  expect(verify(signature, publicKey, bip340)).toBe(true);
  expect(signature.v).toBe("00");
});

test("only an ECDSA key of secp256k1 signs what the service hashes itself", async () => {
  const { root } = await newOrganization();
  const { addresses } = await root.createWallet({
    walletName: "others",
    accounts: [
      {
        addressFormat: "ADDRESS_FORMAT_COMPRESSED",
        curve: "CURVE_P256",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/0'",
      },
      {
        addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR",
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/86'/0'/0'/0/0",
      },
    ],
  });
  const names = ["a key of CURVE_P256", "a Taproot address"];
  for (const [index, signWith] of addresses.entries()) {
    const refused = await refusal(
      submit(root, "sign_raw_payload", {
        type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        parameters: {
          signWith,
          payload: "{}",
          encoding: "PAYLOAD_ENCODING_EIP712",
          hashFunction: "HASH_FUNCTION_NO_OP",
        },
      }),
    );
    expect(refused).toEqual(
      badRequest(
        "FIELD_INVALID",
        "parameters.encoding",
        `invalid payload encoding: \`PAYLOAD_ENCODING_EIP712\` needs a key of CURVE_SECP256K1, but \`signWith\` names ${names[index]}`,
      ),
    );
  }
});
