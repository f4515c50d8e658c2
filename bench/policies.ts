import { signTransaction } from "@keyhearth/engine/activities/sign-transaction";
import { createParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import { readIntent } from "@keyhearth/engine/declare/reading";
import { newWalletLine } from "@keyhearth/engine/keys/wallets";
import { authorize, type Question } from "@keyhearth/engine/policies/authorize";
import { createCompiledPolicies } from "@keyhearth/engine/records/compiled-policies";
import { createRecords } from "@keyhearth/engine/records/facts";
import type { Brought } from "@keyhearth/engine/records/kinds";
import { newOrganizationDocument, type Policy } from "@keyhearth/engine/records/organization";
import { createOrganization } from "@keyhearth/engine/records/organization-index";
import type { KeyhearthClient } from "@keyhearth/sdk";
import type { RootKey } from "../tests/start/process.ts";
import { apiKeyParams, clientOf } from "./client.ts";
import { newApiKey } from "./requests.ts";

/** One user whom the last of a hundred policies lets send a token, and one whom no policy binds. */

const token = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const recipient = "d8da6bf26964af9d7eed9e03e53415d37aa96045";
const abi = JSON.stringify([
  {
    type: "function",
    name: "transfer",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [{ name: "", type: "bool" }],
  },
]);

/** About 200 characters each. Only the last one matches, so that all are evaluated. */
export function hundredConditions(): string[] {
  return Array.from({ length: 100 }, (_, index) => {
    const amount = index === 99 ? "1000000000" : `${index}`;
    return `eth.tx.chain_id == 1 && eth.tx.to == '${token}' && eth.tx.contract_call_args['to'] == '0x${recipient}' && eth.tx.contract_call_args['amount'] < ${amount}`;
  });
}

/** RLP of an EIP-1559 transfer of 1 to 255 units of the token. `nonce` makes each one different. */
export function tokenTransfer(nonce: number): string {
  const data = `a9059cbb${recipient.padStart(64, "0")}${(1 + (nonce % 255)).toString(16).padStart(64, "0")}`;
  const fields = [
    "01",
    `84${(0x01000000 + nonce).toString(16).padStart(8, "0")}`,
    "830f4240",
    "843b9aca00",
    "8301fbd0",
    `94${token.slice(2).toLowerCase()}`,
    "80",
    `b844${data}`,
    "c0",
  ].join("");
  return `02f8${(fields.length / 2).toString(16).padStart(2, "0")}${fields}`;
}

export type Spender = { organizationId: string; privateKey: string; signWith: string };

/** Two organizations that differ in their policies, and in the interface of the contract that these read. */
export async function createSpenders(
  baseUrl: string,
  { organizationId, apiPublicKey, apiPrivateKey }: RootKey,
): Promise<{ free: Spender; bound: Spender }> {
  const parent = clientOf(baseUrl, organizationId, {
    publicKey: apiPublicKey,
    privateKey: apiPrivateKey,
  });
  const free = await createSubOrganization(baseUrl, parent);
  const { root, ...other } = await createSubOrganization(baseUrl, parent);
  const key = newApiKey();
  const { userIds } = await root.createUsers({
    users: [
      {
        userName: "Spender",
        apiKeys: [apiKeyParams(key.publicKey)],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  await root.createSmartContractInterface({
    smartContractAddress: token,
    smartContractInterface: abi,
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "token",
  });
  await root.createPolicies({
    policies: hundredConditions().map((condition, index) => ({
      policyName: `transfers ${index}`,
      effect: "EFFECT_ALLOW" as const,
      condition,
      consensus: `approvers.any(u, u.id == '${userIds[0]}')`,
      notes: "",
    })),
  });
  const { organizationId: freeId, privateKey, signWith } = free;
  return {
    free: { organizationId: freeId, privateKey, signWith },
    bound: { ...other, privateKey: key.privateKey },
  };
}

export async function createSubOrganization(baseUrl: string, parent: KeyhearthClient) {
  const key = newApiKey();
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: "Bench spender",
    rootUsers: [
      {
        userName: "Root",
        apiKeys: [apiKeyParams(key.publicKey)],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const root = clientOf(baseUrl, subOrganizationId, key);
  const { addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
  const signWith = addresses[0] ?? "";
  return { root, organizationId: subOrganizationId, privateKey: key.privateKey, signWith };
}

/**
 * Milliseconds that a decision by a hundred policies takes, as the median of many. It includes the
 * environment of a new transfer with its decoded call, but not the compilation of the policies.
 */
export function decisionMs(): number {
  const times: number[] = [];
  const question = createQuestions();
  for (let round = 0; round < 3000; round++) {
    const asked = question(round);
    const startedAt = performance.now();
    const { outcome } = authorize(asked);
    times.push(performance.now() - startedAt);
    if (outcome !== "allow") throw new Error(`the decision is ${outcome}`);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
}

export function createQuestions(): (nonce: number) => Question {
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  const [userId, walletId, interfaceId] = ["user", "wallet", "interface"];
  const user = {
    userId,
    userName: "Spender",
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: [],
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
  const policies = hundredConditions().map(
    (condition, index): Policy => ({
      policyId: `policy ${index}`,
      policyName: `transfers ${index}`,
      effect: "EFFECT_ALLOW",
      condition,
      consensus: `approvers.any(u, u.id == '${userId}')`,
      time: null,
      notes: "",
      ...times,
    }),
  );
  const document = newOrganizationDocument({
    organizationId: "organization",
    organizationName: "Bench",
    createdAtMs: 0,
    users: [user],
    rootQuorum: { threshold: 1, userIds: [] },
    wallets: [newWalletLine({ nowMs: 0 }, walletId, "treasury")],
    policies,
    smartContractInterfaces: [
      {
        smartContractInterfaceId: interfaceId,
        smartContractAddress: token,
        type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
        label: "token",
        notes: "",
        digest: "digest",
        ...times,
      },
    ],
  });
  const signWith = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
  const header = { schema: 1, organizationId: "organization", version: 1, keyEpoch: 1 };
  const brought = [
    {
      header: { ...header, type: "wallet-account" as const, id: "account" },
      body: {
        walletAccountId: "account",
        walletId,
        curve: "CURVE_SECP256K1",
        address: signWith,
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        publicKey: `02${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"}`,
      },
      digest: "account",
    },
    {
      header: { ...header, type: "smart-contract-interface" as const, id: interfaceId },
      body: { smartContractInterfaceId: interfaceId, text: abi, digest: "digest" },
      digest: "interface",
    },
  ];
  // The members that the decision reads.
  const records = createRecords(document, brought as unknown as Brought[]);
  const bounds = { max: 2 ** 24, maxPerOrganization: 2 ** 24 };
  const compiled = createCompiledPolicies(bounds);
  const organization = createOrganization(document, () => compiled.of(document, "digest"));
  const sources = { document, records, interfaces: createParsedInterfaces(bounds) };
  return (nonce) => {
    const type = "TRANSACTION_TYPE_ETHEREUM";
    const intent = { signWith, type, unsignedTransaction: tokenTransfer(nonce) };
    return {
      declaration: signTransaction,
      type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      intent,
      reading: readIntent(signTransaction, sources, intent),
      organization,
      decider: organization,
      submitter: user,
      approvals: [{ user, credential: undefined }],
      nowMs: 1_767_225_600_000,
    };
  };
}
