import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import {
  getTypesForEIP712Domain,
  hashTypedData,
  recoverAddress,
  recoverTransactionAddress,
  serializeTransaction,
  serializeTypedData,
  type TypedDataDefinition,
} from "viem";
import { hashAuthorization } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApiKeyPair, releases, rootUserParams } from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

let product: Product;

beforeAll(async () => {
  product = await startProduct();
});

afterAll(async () => {
  await product?.stop();
});

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const timestamp = { seconds: expect.stringMatching(/^\d+$/), nanos: expect.any(String) };
const to = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

const accounts = [
  {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  },
  {
    curve: "CURVE_ED25519",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/501'/0'/0'",
    addressFormat: "ADDRESS_FORMAT_SOLANA",
  },
] as const;

function payment(value: bigint) {
  return serializeTransaction({
    chainId: 1,
    nonce: 7,
    gas: 21_000n,
    to,
    value,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 6n,
  });
}

describe.each(releases)("$name", (release) => {
  let root: TurnkeyApiClient;
  let user: TurnkeyApiClient;
  let userId: string;
  let ethereum: string;
  let solana: string;

  beforeAll(async () => {
    const founder = release.connect(product.url, product.root.organizationId, product.root);
    const rootKey = newApiKeyPair();
    const { subOrganizationId } = await founder.createSubOrganization({
      subOrganizationName: `policies ${release.name}`,
      rootUsers: [rootUserParams("root", rootKey)],
      rootQuorumThreshold: 1,
    });
    root = release.connect(product.url, subOrganizationId, rootKey);
    const key = newApiKeyPair();
    const { userIds } = await root.createUsers({
      users: [{ ...rootUserParams("user", key), userTags: [] }],
    });
    userId = userIds[0] ?? "";
    user = release.connect(product.url, subOrganizationId, key);
    const { addresses } = await root.createWallet({
      walletName: "treasury",
      accounts: [...accounts],
    });
    [ethereum = "", solana = ""] = addresses;
  });

  test("a policy is created, shown, changed, listed and deleted", async () => {
    const { policyId } = await root.createPolicy({
      policyName: "wallets",
      effect: "EFFECT_ALLOW",
      condition: "activity.resource == 'WALLET'",
      consensus: "approvers.count() >= 1",
      notes: "first",
    });
    expect(policyId).toEqual(uuid);
    const shown = {
      policyId,
      policyName: "wallets",
      effect: "EFFECT_ALLOW",
      createdAt: timestamp,
      updatedAt: timestamp,
      notes: "first",
      consensus: "approvers.count() >= 1",
      condition: "activity.resource == 'WALLET'",
    };
    expect((await root.getPolicy({ policyId })).policy).toEqual(shown);
    const updated = await root.updatePolicy({ policyId, policyNotes: "second" });
    expect(updated.policyId).toBe(policyId);
    expect((await root.getPolicies()).policies).toEqual([{ ...shown, notes: "second" }]);
    await root.deletePolicy({ policyId });
    expect((await root.getPolicies()).policies).toEqual([]);
    const { policyIds } = await root.createPolicies({
      policies: ["a", "b"].map((policyName) => ({
        policyName,
        effect: "EFFECT_DENY" as const,
        condition: "activity.action == 'EXPORT'",
        notes: "",
      })),
    });
    expect(policyIds).toEqual([uuid, uuid]);
    // Typed clients cannot read the list if one of its policies lacks a field.
    const bare = await root.createPolicy({ policyName: "bare", effect: "EFFECT_DENY", notes: "" });
    const listed = (await root.getPolicies()).policies;
    expect(listed.map(({ condition, consensus }) => [condition, consensus])).toEqual([
      ["activity.action == 'EXPORT'", ""],
      ["activity.action == 'EXPORT'", ""],
      ["", ""],
    ]);
    await root.deletePolicy({ policyId: bare.policyId });
    for (const each of policyIds) await root.deletePolicy({ policyId: each });
  });

  test("the error for a refused policy has the texts that clients look for", async () => {
    const create = (condition: string) =>
      root.createPolicy({ policyName: "bad", effect: "EFFECT_ALLOW", condition, notes: "" });
    await expect(create("walet.id == 'a'")).rejects.toThrow(
      /^Turnkey error 3: invalid policy condition/,
    );
    await expect(create("wallet.nam == 'a'")).rejects.toThrow("field does not exist");
    expect((await root.getPolicies()).policies).toEqual([]);
  });

  test("a denial shows the outcomes of the policies; a policy then allows the request", async () => {
    const sign = (value: bigint) =>
      user.signTransaction({
        signWith: ethereum,
        type: "TRANSACTION_TYPE_ETHEREUM",
        unsignedTransaction: payment(value).slice(2),
      });
    const error = await sign(1000n).catch((thrown) => thrown);
    expect(error.message).toMatch(/^Turnkey error 7: You don't have sufficient permissions/);
    expect(error.details).toContainEqual({
      "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
      message: "No policies evaluated to outcome: Allow",
      policyEvaluations: [],
    });
    const { policyId } = await root.createPolicy({
      policyName: "small payments",
      effect: "EFFECT_ALLOW",
      condition: `eth.tx.to == '${to}' && eth.tx.value <= 1000`,
      consensus: `approvers.any(user, user.id == '${userId}')`,
      notes: "",
    });
    const { signedTransaction } = await sign(1000n);
    expect(signedTransaction).not.toMatch(/^0x/);
    const serializedTransaction = `0x02${signedTransaction.slice(2)}` as const;
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(ethereum);
    await expect(sign(1001n)).rejects.toThrow(/^Turnkey error 7/);
    await root.deletePolicy({ policyId });
  });

  test("a Solana transaction is signed as the adapter sends it", async () => {
    const feePayer = new PublicKey(solana);
    const transaction = new Transaction({
      feePayer,
      recentBlockhash: "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N",
    }).add(SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: feePayer, lamports: 1 }));
    const unsigned = transaction.serialize({
      requireAllSignatures: false,
      verifySignatures: false,
    });
    const { signedTransaction } = await root.signTransaction({
      signWith: solana,
      type: "TRANSACTION_TYPE_SOLANA",
      unsignedTransaction: encodeHex(unsigned),
    });
    const signed = Transaction.from(Buffer.from(signedTransaction, "hex"));
    expect(signed.verifySignatures()).toBe(true);
  });

  test("typed data and authorizations are signed as the viem adapter sends them", async () => {
    const domain = { name: "Dollar", version: "2", chainId: 1, verifyingContract: to } as const;
    const typedData: TypedDataDefinition = {
      domain,
      types: {
        // The library adds it before it calls an account. Without it, the domain would be dropped.
        EIP712Domain: getTypesForEIP712Domain({ domain }),
        Permit: [
          { name: "owner", type: "address" },
          { name: "value", type: "uint256" },
        ],
      },
      primaryType: "Permit",
      message: { owner: to, value: 1000n },
    };
    const authorization = { address: to, chainId: 1, nonce: 7 } as const;
    const cases = [
      ["PAYLOAD_ENCODING_EIP712", serializeTypedData(typedData), hashTypedData(typedData)],
      [
        "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
        JSON.stringify(authorization),
        hashAuthorization(authorization),
      ],
    ] as const;
    for (const [encoding, payload, hash] of cases) {
      const { r, s, v } = await root.signRawPayload({
        signWith: ethereum,
        payload,
        // The older release does not know these encodings yet, but it passes them on.
        encoding: encoding as "PAYLOAD_ENCODING_EIP712",
        hashFunction: "HASH_FUNCTION_NO_OP",
      });
      const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const;
      expect(await recoverAddress({ hash, signature })).toBe(ethereum);
    }
  });
});

test("newer paths: policies deleted together, evaluations, contract interfaces", async () => {
  const [newest] = releases;
  const root = newest?.connect(product.url, product.root.organizationId, product.root);
  if (!root) throw new Error("no release");
  const { policyIds, activity } = await root.createPolicies({
    policies: ["c", "d"].map((policyName) => ({
      policyName,
      effect: "EFFECT_DENY" as const,
      condition: "activity.action == 'EXPORT'",
      notes: "",
    })),
  });
  expect(await root.getPolicyEvaluations({ activityId: activity.id })).toMatchObject({
    policyEvaluations: [{ activityId: activity.id, policyEvaluations: [] }],
  });
  expect((await root.deletePolicies({ policyIds })).policyIds).toEqual(policyIds);

  const { smartContractInterfaceId } = await root.createSmartContractInterface({
    smartContractAddress: to,
    smartContractInterface: "[]",
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "empty",
    notes: "",
  });
  const { smartContractInterface } = await root.getSmartContractInterface({
    smartContractInterfaceId,
  });
  expect(smartContractInterface).toMatchObject({ smartContractInterfaceId, label: "empty" });
  await root.deleteSmartContractInterface({ smartContractInterfaceId });
  expect((await root.getSmartContractInterfaces({})).smartContractInterfaces).toEqual([]);
});
