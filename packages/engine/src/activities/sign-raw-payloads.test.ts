import { newOrganization } from "@keyhearth/api/testing";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { verifyEd25519, verifySecp256k1 } from "@keyhearth/crypto/keys/verify";
import { sha256 } from "@keyhearth/crypto/primitives";
import { expect, test } from "vitest";
import {
  badRequest,
  bodyOf,
  ethereumAccount,
  post,
  refusal,
  solanaAccount,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS";
const utf8 = "PAYLOAD_ENCODING_TEXT_UTF8";

async function newWallet() {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount, solanaAccount],
  });
  const { accounts } = await root.listWalletAccounts({ walletId });
  const keyOf = (address: string) =>
    decodeHex(accounts.find((account) => account.address === address)?.publicKey ?? "");
  const [ethereum = "", solana = ""] = addresses;
  return { ...organization, walletId, ethereum, solana, keyOf };
}

test("signatures are in the order of the payloads", async () => {
  const { root, ethereum, solana, keyOf } = await newWallet();
  const payloads = ["a", "b", "a", ...Array.from({ length: 20 }, (_, i) => `payload ${i}`)];
  const ecdsa = {
    signWith: ethereum,
    payloads,
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_SHA256",
  } as const;
  const { signatures = [], activity } = await root.signRawPayloads(ecdsa);
  expect(activity.intent).toEqual({ signRawPayloadsIntent: ecdsa });
  expect(activity.result).toEqual({ signRawPayloadsResult: { signatures } });
  expect(signatures).toHaveLength(payloads.length);
  for (const [index, { r, s }] of signatures.entries()) {
    const digest = sha256(encodeUtf8(payloads[index] ?? ""));
    const signature = { r: decodeHex(r), s: decodeHex(s) };
    expect(verifySecp256k1(keyOf(ethereum), digest, signature)).toBe(true);
  }
  expect(signatures[0]).toEqual(signatures[2]);

  const edwards = await root.signRawPayloads({
    signWith: solana,
    payloads,
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
  });
  for (const [index, { r, s, v }] of (edwards.signatures ?? []).entries()) {
    const message = encodeUtf8(payloads[index] ?? "");
    expect(v).toBe("00");
    expect(verifyEd25519(keyOf(solana), message, decodeHex(r + s))).toBe(true);
  }
});

test("each signature equals that of sign_raw_payload", async () => {
  const { root, ethereum } = await newWallet();
  const shared = {
    signWith: ethereum,
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
  const { signatures } = await root.signRawPayloads({ ...shared, payloads: ["hello"] });
  const { activity: _, ...one } = await root.signRawPayload({ ...shared, payload: "hello" });
  expect(signatures).toEqual([one]);
});

test("payloads that policies can read must be signed one by one", async () => {
  const { root, ethereum } = await newWallet();
  const refused = await refusal(
    root.signRawPayloads({
      signWith: ethereum,
      payloads: ["{}"],
      encoding: "PAYLOAD_ENCODING_EIP712",
      hashFunction: "HASH_FUNCTION_NO_OP",
    }),
  );
  expect(refused).toEqual(
    badRequest(
      "FIELD_UNSUPPORTED",
      "parameters.encoding",
      "invalid payload encoding: `PAYLOAD_ENCODING_EIP712` works only in sign_raw_payload: sign each payload in its own request",
    ),
  );
});

test("a Taproot address signs a hundred payloads at once, and no more", async () => {
  const { root, walletId } = await newWallet();
  const addressFormat = "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR";
  const { addresses } = await root.createWalletAccounts({
    walletId,
    accounts: [{ ...ethereumAccount, addressFormat, path: "m/86'/0'/0'/0/0" }],
  });
  const [signWith = ""] = addresses;
  const parameters = {
    signWith,
    payloads: Array.from({ length: 100 }, (_, i) => i.toString(16).padStart(64, "0")),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  } as const;
  const { signatures } = await root.signRawPayloads(parameters);
  expect(signatures).toHaveLength(100);
  const refusedWith = (more: string) => {
    const tooMany = { ...parameters, payloads: [...parameters.payloads, more] };
    return refusal(submit(root, "sign_raw_payloads", { type, parameters: tooMany }));
  };
  const message =
    "must have at most 100 payloads, because `signWith` names a Taproot address: `parameters.payloads` is a list of 101, of which the others go into further requests";
  expect(await refusedWith("00".repeat(32))).toEqual(
    badRequest("FIELD_INVALID", "parameters.payloads", message),
  );
  expect(await refusedWith("00")).toMatchObject({
    message: expect.stringMatching(/^must have at most 100 payloads.+expected a 32-bytes-long/),
  });
});

test("bad parameters are refused by field, and nothing is signed", async () => {
  const { root, ethereum } = await newWallet();
  const valid = {
    signWith: ethereum,
    payloads: ["00".repeat(32)],
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  };
  const cases: [object, string, string, unknown][] = [
    [
      { payloads: [] },
      "FIELD_INVALID",
      "parameters.payloads",
      "must have at least one payload: `parameters.payloads` is a list of 0",
    ],
    [
      { payloads: Array.from({ length: 1001 }, () => "00") },
      "FIELD_INVALID",
      "parameters.payloads",
      "must have at most 1000 payloads: `parameters.payloads` is a list of 1001",
    ],
    [
      { payloads: ["00".repeat(32), "00"] },
      "DIGEST_INVALID",
      "parameters.payloads[1]",
      expect.stringContaining("expected a 32-bytes-long digest, got 1 bytes"),
    ],
    [
      { payloads: ["00".repeat(32), "zz"] },
      "FIELD_INVALID",
      "parameters.payloads[1]",
      "invalid payload encoding: `parameters.payloads[1]` is not hexadecimal text: expected two digits for each byte, with or without `0x`, got `zz`",
    ],
    [
      { payloads: ["0x", "00".repeat(32)] },
      "FIELD_INVALID",
      "parameters.payloads[0]",
      "must not be empty: `parameters.payloads[0]` is `0x`, which has no digits",
    ],
    [
      { hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" },
      "FIELD_INVALID",
      "parameters.hashFunction",
      expect.stringContaining("HASH_FUNCTION_NOT_APPLICABLE is for Ed25519 keys"),
    ],
  ];
  for (const [change, code, field, message] of cases) {
    const parameters = { ...valid, ...change };
    const refused = await refusal(submit(root, "sign_raw_payloads", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect((await root.listActivities({ filterByType: [type] })).activities).toEqual([]);
});

test("the same bytes again are the same activity", async () => {
  const { root, organizationId, ethereum } = await newWallet();
  const parameters = {
    signWith: ethereum,
    payloads: ["a", "b"],
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_SHA256",
  };
  const body = bodyOf(organizationId, { type, parameters });
  const one = await post(root, "sign_raw_payloads", body);
  expect(await post(root, "sign_raw_payloads", body)).toEqual(one);
});
