import { clientOf, newKey, newOrganization, type TestClient } from "@keyhearth/api/testing";
import type { Connection } from "@keyhearth/sdk";
import type { Hex } from "viem";
import { type Evm, startEvm } from "../chains/evm.ts";
import { type Rpc, serveRpc } from "../chains/rpc.ts";

/** An organization with keys for Ethereum, and a chain on which the first one has ether. */
export type EvmKeys = {
  /** A root user: no policy limits it. */
  root: TestClient;
  /** Not a root user: may sign only payments of at most 1000 wei, and typed data of `Order`. */
  clerk: TestClient;
  walletId: string;
  payer: Hex;
  other: Hex;
  privateKeyId: string;
  privateKeyAddress: Hex;
  evm: Evm;
  node: Rpc;
};

export const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
export const domain = {
  name: "Orders",
  version: "1",
  chainId: 1,
  verifyingContract: recipient,
} as const;
export const types = {
  Order: [
    { name: "amount", type: "uint256" },
    { name: "lines", type: "Line[]" },
  ],
  Line: [
    { name: "to", type: "address" },
    { name: "note", type: "string" },
  ],
} as const;
export const message = { amount: 2n ** 200n, lines: [{ to: recipient, note: "é" }] } as const;

export async function newEvmKeys(): Promise<EvmKeys> {
  const { server, organizationId, root } = await newOrganization();
  const { walletId, addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [0, 1].map((index) => ({
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: `m/44'/60'/0'/0/${index}`,
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    })),
  });
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "hot",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  const key = newKey();
  const apiKeys = [
    { apiKeyName: "key", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" } as const,
  ];
  const { userIds } = await root.createUsers({
    users: [{ userName: "clerk", apiKeys, authenticators: [], oauthProviders: [], userTags: [] }],
  });
  const [clerkId] = userIds;
  for (const [policyName, condition] of [
    ["small payments", "eth.tx.value <= 1000"],
    ["orders", "eth.eip_712.primary_type == 'Order'"],
  ] as const) {
    await root.createPolicy({
      policyName,
      effect: "EFFECT_ALLOW",
      consensus: `approvers.any(user, user.id == '${clerkId}')`,
      condition,
      notes: "",
    });
  }
  const evm = await startEvm();
  // Addresses of this format start with 0x.
  const [payer, other] = addresses as [Hex, Hex];
  await evm.fund(payer);
  return {
    root,
    clerk: clientOf(server, organizationId, key),
    walletId,
    payer,
    other,
    privateKeyId: privateKeys[0]?.privateKeyId ?? "",
    privateKeyAddress: privateKeys[0]?.addresses?.[0]?.address as Hex,
    evm,
    node: await serveRpc(evm),
  };
}

/** A connection to a service that answers some requests in its own way. */
export function connectionTo(
  root: TestClient,
  lies: { [Name in "query" | "perform"]?: (...given: never[]) => Promise<unknown> },
): Connection {
  const { query, perform } = root;
  const honest = { query: query.bind(root), perform: perform.bind(root) };
  // Adapters use these two members only.
  return { ...honest, ...lies } as unknown as Connection;
}

/** A call that stores its first word in the contract's first slot. */
export async function createContract(
  evm: Evm,
  send: (creation: Hex) => Promise<string>,
): Promise<Hex> {
  const runtime = "5f355f5500";
  const signed = await send(`0x64${runtime}5f526005601bf3`);
  const { created } = await evm.execute(signed as Hex);
  return created as Hex; // an address in lower case
}

export function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
