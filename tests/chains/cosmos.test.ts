// Signatures over documents of the Cosmos SDK, verified by cosmjs as a node verifies them.

import {
  encodeSecp256k1Pubkey,
  makeSignDoc,
  pubkeyToAddress,
  serializeSignDoc,
} from "@cosmjs/amino";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromHex, toHex } from "@cosmjs/encoding";
import type { KeyhearthClient } from "@keyhearth/sdk";
import { beforeAll, expect, test } from "vitest";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

let product: SharedProduct;
let client: KeyhearthClient;

beforeAll(async () => {
  product = await sharedProduct();
  client = clientOf(product, product.root);
});

const formats = [
  { addressFormat: "ADDRESS_FORMAT_COSMOS", prefix: "cosmos", chainId: "cosmoshub-4" },
  { addressFormat: "ADDRESS_FORMAT_SEI", prefix: "sei", chainId: "pacific-1" },
] as const;

test.each(formats)("$addressFormat: a payment", async ({ addressFormat, prefix, chainId }) => {
  const { walletId, addresses } = await client.createWallet({
    walletName: prefix,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/118'/0'/0/0",
        addressFormat,
      },
    ],
  });
  const [address = ""] = addresses;
  const { account } = await client.getWalletAccount({ walletId, address });
  const publicKey = fromHex(account.publicKey ?? "");
  expect(pubkeyToAddress(encodeSecp256k1Pubkey(publicKey), prefix)).toBe(address);

  const payment = {
    type: "cosmos-sdk/MsgSend",
    value: {
      from_address: address,
      to_address: address,
      amount: [{ denom: "uatom", amount: "1" }],
    },
  };
  const fee = { amount: [{ denom: "uatom", amount: "2000" }], gas: "200000" };
  const signed = serializeSignDoc(makeSignDoc([payment], fee, chainId, "sent by a test", 7, 0));
  const digest = sha256(signed);
  const requests = [
    {
      payload: new TextDecoder().decode(signed),
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    },
    {
      payload: toHex(digest),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  ] as const;
  for (const request of requests) {
    const { r, s } = await client.signRawPayload({ signWith: address, ...request });
    const signature = Secp256k1Signature.fromFixedLength(fromHex(r + s));
    expect(await Secp256k1.verifySignature(signature, digest, publicKey)).toBe(true);
    expect(await Secp256k1.verifySignature(signature, sha256(digest), publicKey)).toBe(false);
  }
});
