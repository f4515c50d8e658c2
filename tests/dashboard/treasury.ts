import { readFileSync } from "node:fs";
import { ConsensusNeeded, type KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { type Hex, parseEther, serializeTransaction } from "viem";
import { clientOf } from "../start/process.ts";
import { heading, type Person, type World } from "./harness.ts";

// An organization with a treasury that three people look after.

export type Member = {
  userId: string;
  name: string;
  /** Acts for them outside the browser. */
  client: KeyhearthClient;
  /** What they paste into the login. */
  keyFile: string;
};

export type Treasury = {
  root: KeyhearthClient;
  tagId: string;
  walletId: string;
  address: Hex;
  members: Record<"ada" | "bob" | "cleo", Member>;
};

/** Two of three treasurers may sign with the wallet. The names of things are hostile on purpose. */
export async function openTreasury({ product }: World, mark: string): Promise<Treasury> {
  const { organizationId } = JSON.parse(readFileSync(product.rootKeyFile, "utf8"));
  const root = clientOf(product, product.root);
  const tag = { userTagName: `treasurers ${mark}`, userIds: [] };
  const { userTagId: tagId } = await root.createUserTag(tag);
  const keys = ["Ada", "Bob", "Cleo"].map((name) => ({ name, ...createApiKey() }));
  const { userIds } = await root.createUsers({
    users: keys.map(({ name, apiPublicKey, curveType }) => ({
      userName: `${name} ${mark}`,
      apiKeys: [{ apiKeyName: "laptop", publicKey: apiPublicKey, curveType }],
      authenticators: [],
      oauthProviders: [],
      userTags: [tagId],
    })),
  });
  const [ada, bob, cleo] = keys.map(({ name, apiPublicKey, apiPrivateKey }, i): Member => {
    const key = { organizationId, userId: userIds[i] ?? "", apiPublicKey, apiPrivateKey };
    return {
      userId: userIds[i] ?? "",
      name: `${name} ${mark}`,
      client: clientOf(product, key),
      keyFile: JSON.stringify(key),
    };
  });
  if (!ada || !bob || !cleo) throw new Error("three users were not created");
  const { walletId, addresses } = await root.createWallet({
    walletName: `Treasury ${mark}`,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
  await root.createPolicy({
    policyName: `Two treasurers pay ${mark}`,
    effect: "EFFECT_ALLOW",
    condition: `activity.kind == 'SIGN_TRANSACTION' && wallet.id == '${walletId}'`,
    consensus: `approvers.filter(user, user.tags.contains('${tagId}')).count() >= 2`,
    notes: `For the treasury ${mark}`,
  });
  return { root, tagId, walletId, address: addresses[0] as Hex, members: { ada, bob, cleo } };
}

/** The hexadecimal digits of a payment that nobody has signed yet. */
export function payment(ether: string, { data, nonce = 0 }: { data?: Hex; nonce?: number } = {}) {
  return serializeTransaction({
    chainId: 1,
    nonce,
    to: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
    value: parseEther(ether),
    gas: 21_000n,
    maxFeePerGas: 30_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...(data && { data }),
  });
}

/** Asks for a signature that needs another treasurer. Returns the id of the activity. */
export async function propose(
  { address }: Treasury,
  { client }: Member,
  unsignedTransaction: Hex,
): Promise<string> {
  const type = "TRANSACTION_TYPE_ETHEREUM";
  const asked = client.signTransaction({ signWith: address, type, unsignedTransaction });
  const refused: unknown = await asked.catch((error: unknown) => error);
  if (refused instanceof ConsensusNeeded) return refused.activity.id;
  throw new Error("one of three was enough", { cause: refused });
}

/** Logs in with a pasted key, at whatever screen is asked for, and waits for its title. */
export async function logInByKey(
  { page, open }: Person,
  { keyFile }: Pick<Member, "keyFile">,
  { path = "/", title = "Overview" }: { path?: string; title?: string } = {},
): Promise<void> {
  await open(path);
  await page.getByRole("tab", { name: "API key" }).click();
  await page.getByRole("textbox", { name: "API key" }).fill(keyFile);
  await page.getByRole("button", { name: "Log in with the key", exact: true }).click();
  await heading(page, title);
}
