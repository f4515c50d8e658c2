import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { claimsOf, ethereumAccount, solanaAccount } from "@keyhearth/engine/organization.testing";
import { newPasskey, passkeyOf } from "@keyhearth/engine/passkey.testing";
import {
  ConsensusNeeded,
  KeyhearthClient,
  PermissionDenied,
  type ReceiptsFile,
} from "@keyhearth/sdk";
import {
  createTargetKey,
  decryptPrivateKeyBundle,
  decryptWalletBundle,
  encryptWalletToBundle,
  exportReceipts,
  type SignedProof,
} from "@keyhearth/sdk/crypto";
import { serializeTransaction } from "viem";
import { newApiKey } from "../self-hosting/keys.ts";
import { clientOf, type RootKey } from "../start/process.ts";

/**
 * What a release left, and what it said of it. All keys are made for the test: they protect nothing, and are committed
 * with the fixture.
 */
export type World = {
  root: RootKey;
  /** The root users of a sub-organization, who both have to approve. */
  ada: RootKey;
  grace: RootKey;
  /** Stamps as Ada, in hex. */
  passkey: Passkey;
  session: { key: RootKey; expiresAtMs: number };
  keys: PublicKeys;
  /** What Ada asked for, and Grace has not decided. */
  waiting: { activityId: string; fingerprint: string };
  walletId: string;
  importedWalletId: string;
  privateKeyId: string;
  /** Signatures of one payload by keys of each curve. They are deterministic. */
  signed: Signed[];
  transaction: { signWith: string; signedTransaction: string };
  secrets: Secrets;
  proofs: SignedProof[];
  /** Of the root organization and of the sub-organization. */
  receipts: ReceiptsFile[];
  /** What queries answered, by their names. */
  answers: Answers;
};

export type PublicKeys = Record<
  "signerPublicKey" | "quorumPublicKey" | "webhookPublicKey" | "rootOrganizationId",
  string
>;

type Service = { url: string };
type Passkey = { credentialId: string; privateKey: string; publicKey: string };
type HashFunction = "HASH_FUNCTION_NO_OP" | "HASH_FUNCTION_NOT_APPLICABLE";
type Signed = { signWith: string; hashFunction: HashFunction; r: string; s: string; v: string };
type Secrets = { mnemonic: string; imported: string; privateKey: string };
export type Answers = Awaited<ReturnType<typeof askAll>>;

/** The words of a public test vector. */
const IMPORTED = `${"abandon ".repeat(11)}about`;

const PAYLOAD = "5a".repeat(32);

/** Moves 1 ETH, in the form before it is signed. */
const TRANSACTION = serializeTransaction({
  chainId: 1,
  type: "eip1559",
  to: `0x${"35".repeat(20)}`,
  value: 10n ** 18n,
  maxFeePerGas: 2n * 10n ** 9n,
  gas: 21_000n,
});

/** The name of the organization that was deleted. */
const GONE = "Gone";

/** Asks a running service for one of everything that an organization can have. */
export async function makeWorld(service: Service, root: RootKey): Promise<World> {
  const keys = await publicKeysOf(service);
  const parent = clientOf(service, root);
  await makePeople(parent, root);
  const { ada, grace, passkey } = await makeTeam(service, parent);
  const team = clientOf(service, ada);

  const made = await makeKeys(parent, { userId: root.userId, ...keys });
  const proofs = await makeProofs(parent, made);
  await makeRules(parent);
  await makeMessages(parent, root);
  // The endpoint of the parent is told of both versions of the activity.
  await agree(passkeyClientOf(service, { ...ada, ...passkey }), clientOf(service, grace), "agreed");
  await makeTraces(service, parent, made);
  const session = await logIn(service, parent, root);
  const waiting = await startWaiting(team, "waits");
  return {
    root,
    ada,
    grace,
    passkey,
    session,
    keys,
    waiting,
    ...made,
    signed: await Promise.all(made.signers.map((signer) => sign(parent, signer))),
    transaction: await signTransaction(parent, made.address),
    secrets: await exportSecrets(parent, made, keys),
    proofs,
    receipts: [await sealedReceipts(parent), await sealedReceipts(team)],
    answers: await askAll(parent),
  };
}

export async function publicKeysOf({ url }: Service): Promise<PublicKeys> {
  const known = await (await fetch(`${url}/.well-known/keyhearth.json`)).json();
  const { signerPublicKey, quorumPublicKey, webhookPublicKey, rootOrganizationId } = known;
  return { signerPublicKey, quorumPublicKey, webhookPublicKey, rootOrganizationId };
}

async function makePeople(parent: KeyhearthClient, { userId }: RootKey) {
  const { userTagId } = await parent.createUserTag({ userTagName: "operators", userIds: [userId] });
  const bob = {
    ...userOf("Bob", newApiKey().apiPublicKey),
    userEmail: "bob@example.com",
    userPhoneNumber: "+14155550100",
    authenticators: [newPasskey().params],
    userTags: [userTagId],
  };
  const { userIds } = await parent.createUsers({ users: [bob] });
  await parent.createOauthProviders(
    { userId: userIds[0] ?? "", oauthProviders: [claimsOf("bob")] },
    { type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2" },
  );
}

/** A sub-organization of two people, one of whom also has a passkey, and one that is deleted. */
async function makeTeam(service: Service, parent: KeyhearthClient) {
  const [ada, grace, last] = [newApiKey(), newApiKey(), newApiKey()];
  const passkey = newPasskey();
  const { subOrganizationId, rootUserIds } = await parent.createSubOrganization({
    subOrganizationName: "Team",
    rootUsers: [
      { ...userOf("Ada", ada.apiPublicKey), authenticators: [passkey.params] },
      userOf("Grace", grace.apiPublicKey),
    ],
    rootQuorumThreshold: 2,
    wallet: { walletName: "Ours", accounts: [ethereumAccount] },
  });
  const gone = await parent.createSubOrganization({
    subOrganizationName: GONE,
    rootUsers: [userOf("Last", last.apiPublicKey)],
    rootQuorumThreshold: 1,
  });
  const lastKey = { ...last, organizationId: gone.subOrganizationId, userId: "" };
  await clientOf(service, lastKey).deleteSubOrganization({ deleteWithoutExport: true });

  const [adaId = "", graceId = ""] = rootUserIds ?? [];
  const inTeam = { organizationId: subOrganizationId };
  return {
    ada: { ...inTeam, userId: adaId, ...ada },
    grace: { ...inTeam, userId: graceId, ...grace },
    passkey: {
      credentialId: passkey.credentialId,
      privateKey: encodeHex(passkey.privateKey),
      publicKey: encodeHex(passkey.publicKey),
    },
  };
}

function userOf(userName: string, publicKey: string) {
  const key = { apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" } as const;
  return { userName, apiKeys: [key], authenticators: [], oauthProviders: [] };
}

type Made = Awaited<ReturnType<typeof makeKeys>>;

/** Keys of each curve, made and imported, with tags, and a wallet that is deleted. */
async function makeKeys(
  parent: KeyhearthClient,
  { userId, signerPublicKey }: { userId: string; signerPublicKey: string },
) {
  const { walletId, addresses } = await parent.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount, { ...solanaAccount, name: "payouts" }],
  });
  const { privateKeys } = await parent.createPrivateKeys({
    privateKeys: [
      { privateKeyName: "cold", curve: "CURVE_P256", privateKeyTags: [], addressFormats: [] },
    ],
  });
  const [address = "", solana = ""] = addresses;
  const privateKeyId = privateKeys[0]?.privateKeyId ?? "";
  await parent.createPrivateKeyTag({ privateKeyTagName: "vault", privateKeyIds: [privateKeyId] });
  const { importBundle } = await parent.initImportWallet({ userId });
  const { organizationId } = parent;
  const origin = { importBundle, organizationId, userId, signerPublicKey };
  const imported = await parent.importWallet({
    userId,
    walletName: "imported",
    encryptedBundle: encryptWalletToBundle({ mnemonic: IMPORTED, ...origin }),
    accounts: [ethereumAccount],
  });
  const deleted = await parent.createWallet({ walletName: "old", accounts: [ethereumAccount] });
  await parent.deleteWallets({ walletIds: [deleted.walletId], deleteWithoutExport: true });
  return {
    address,
    walletId,
    importedWalletId: imported.walletId,
    privateKeyId,
    signers: [
      { signWith: address, hashFunction: "HASH_FUNCTION_NO_OP" },
      { signWith: solana, hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" },
      { signWith: privateKeyId, hashFunction: "HASH_FUNCTION_NO_OP" },
      { signWith: imported.addresses[0] ?? "", hashFunction: "HASH_FUNCTION_NO_OP" },
    ] satisfies Pick<Signed, "signWith" | "hashFunction">[],
  };
}

/** Statements of the signer, which clients keep. */
async function makeProofs(parent: KeyhearthClient, { walletId }: Made): Promise<SignedProof[]> {
  const { activity } = await parent.createUserTag(
    { userTagName: "proven", userIds: [] },
    { generateAppProofs: true },
  );
  const { accounts } = await parent.listWalletAccounts({ walletId });
  return [...(activity.appProofs ?? []), ...accounts.flatMap(({ proof }) => proof ?? [])];
}

async function makeRules(parent: KeyhearthClient) {
  await parent.createPolicy({
    policyName: "Only small payments",
    effect: "EFFECT_DENY",
    condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value > 5000000000000000000",
    notes: "5 ETH",
  });
  await parent.createSmartContractInterface({
    label: "token",
    notes: "",
    smartContractAddress: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    smartContractInterface: JSON.stringify([
      { type: "function", name: "transfer", inputs: [{ name: "to", type: "address" }] },
    ]),
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  });
  await parent.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  await parent.createWebhookEndpoint({ url: "http://127.0.0.1:9/events", name: "nobody listens" });
}

/** An invitation and a one-time code, both of which wait to be delivered. */
async function makeMessages(parent: KeyhearthClient, { userId }: RootKey) {
  const invitation = {
    receiverUserName: "Alan",
    receiverUserEmail: "alan@example.com",
    receiverUserTags: [],
    accessType: "ACCESS_TYPE_ALL" as const,
    senderUserId: userId,
  };
  await parent.createInvitations({ invitations: [invitation] });
  const code = {
    otpType: "OTP_TYPE_EMAIL",
    contact: "bob@example.com",
    appName: "Example",
  } as const;
  await parent.initOtp(code);
}

/** What only the host remembers: a request that was denied, an opinion about a page, an organization that signed up. */
async function makeTraces(service: Service, parent: KeyhearthClient, { address }: Made) {
  const nobody = newApiKey();
  const { userIds } = await parent.createUsers({
    users: [{ ...userOf("Nobody", nobody.apiPublicKey), userTags: [] }],
  });
  const { organizationId } = parent;
  const denied = clientOf(service, { ...nobody, organizationId, userId: userIds[0] ?? "" });
  const refused = await caught(
    sign(denied, { signWith: address, hashFunction: "HASH_FUNCTION_NO_OP" }),
  );
  if (!(refused instanceof PermissionDenied)) throw refused;

  const page = await fetch(`${service.url}/feedback`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: service.url },
    body: JSON.stringify({ page: "/concepts/wallets", helpful: true }),
  });
  if (page.status !== 204) throw new Error(`feedback was answered with ${page.status}`);

  const founder = newApiKey();
  const { rootOrganizationId } = await publicKeysOf(service);
  const place = { ...founder, organizationId: rootOrganizationId, userId: "" };
  await clientOf(service, place).createOrganization({
    organizationName: "Signed up",
    rootApiKey: {
      apiKeyName: "founder's",
      publicKey: founder.apiPublicKey,
      curveType: "API_KEY_CURVE_P256",
    },
  });
}

async function logIn(service: Service, parent: KeyhearthClient, { userId }: RootKey) {
  const key = newApiKey();
  const seconds = 30 * 24 * 3600;
  await parent.stampLogin({ publicKey: key.apiPublicKey, expirationSeconds: String(seconds) });
  const session = { ...key, organizationId: parent.organizationId, userId };
  await clientOf(service, session).whoami();
  return { key: session, expiresAtMs: Date.now() + seconds * 1000 };
}

/** One asks, and the other approves what was asked. */
export async function agree(one: KeyhearthClient, other: KeyhearthClient, userTagName: string) {
  const { activityId } = await startWaiting(one, userTagName);
  const { activity } = await other.approve(activityId, () => true);
  if (activity.status !== "ACTIVITY_STATUS_COMPLETED") throw new Error(activity.status);
}

async function startWaiting(team: KeyhearthClient, userTagName: string) {
  const asked = await caught(team.createUserTag({ userTagName, userIds: [] }));
  if (!(asked instanceof ConsensusNeeded)) throw asked;
  const { id, fingerprint } = asked.activity;
  return { activityId: id, fingerprint };
}

export async function sign(
  client: KeyhearthClient,
  { signWith, hashFunction }: Pick<Signed, "signWith" | "hashFunction">,
): Promise<Signed> {
  const encoding = "PAYLOAD_ENCODING_HEXADECIMAL";
  const { r, s, v } = await client.signRawPayload({
    signWith,
    payload: PAYLOAD,
    encoding,
    hashFunction,
  });
  return { signWith, hashFunction, r, s, v };
}

export async function signTransaction(client: KeyhearthClient, signWith: string) {
  const { signedTransaction } = await client.signTransaction({
    signWith,
    unsignedTransaction: TRANSACTION,
    type: "TRANSACTION_TYPE_ETHEREUM",
  });
  return { signWith, signedTransaction };
}

type Stored = Pick<World, "walletId" | "importedWalletId" | "privateKeyId">;

/** What only the owner of a key reads, with a bundle for each. */
export async function exportSecrets(
  client: KeyhearthClient,
  { walletId, importedWalletId, privateKeyId }: Stored,
  { signerPublicKey }: PublicKeys,
): Promise<Secrets> {
  const { organizationId } = client;
  const words = async (id: string) => {
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const { exportBundle } = await client.exportWallet({ walletId: id, targetPublicKey });
    const origin = { exportBundle, targetPrivateKey, organizationId, signerPublicKey };
    return decryptWalletBundle(origin).mnemonic;
  };
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const { exportBundle } = await client.exportPrivateKey({ privateKeyId, targetPublicKey });
  return {
    mnemonic: await words(walletId),
    imported: await words(importedWalletId),
    privateKey: decryptPrivateKeyBundle({
      exportBundle,
      targetPrivateKey,
      organizationId,
      signerPublicKey,
      keyFormat: "HEXADECIMAL",
    }),
  };
}

/** Waits until the signer has sealed what happened so far. */
export async function sealedReceipts(client: KeyhearthClient): Promise<ReceiptsFile> {
  const giveUpAt = Date.now() + 60_000;
  while ((await client.getReceipts({ afterSegment: "0", limit: "1" })).unsealed > 0) {
    if (Date.now() > giveUpAt) throw new Error("the receipts were not sealed");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return exportReceipts(client);
}

/** What the root organization shows of what does not end by itself. */
export async function askAll(client: KeyhearthClient) {
  const { organizationIds } = await client.listSuborgs({});
  const { wallets } = await client.listWallets();
  const accounts = wallets.map(({ walletId }) => client.listWalletAccounts({ walletId }));
  return {
    policies: (await client.listPolicies()).policies,
    userTags: (await client.listUserTags()).userTags,
    privateKeys: (await client.listPrivateKeys()).privateKeys,
    privateKeyTags: (await client.listPrivateKeyTags()).privateKeyTags,
    interfaces: (await client.listSmartContractInterfaces()).smartContractInterfaces,
    configs: (await client.getOrganizationConfigs()).configs,
    organizationIds,
    wallets,
    accounts: (await Promise.all(accounts)).flatMap((each) => each.accounts),
    activities: (await client.listActivities({ paginationOptions: { limit: "100" } })).activities,
  };
}

/** A client that stamps with the passkey. */
export function passkeyClientOf(
  { url }: Service,
  { organizationId, credentialId, privateKey, publicKey }: Passkey & { organizationId: string },
): KeyhearthClient {
  const [own, point] = [decodeHex(privateKey), decodeHex(publicKey)];
  const id = new Uint8Array(Buffer.from(credentialId, "base64url"));
  const passkey = passkeyOf({ privateKey: own, publicKey: point, id });
  const stamp = async (body: string) => ({ name: "X-Stamp-Webauthn", value: passkey.stamp(body) });
  return new KeyhearthClient({ baseUrl: url, organizationId, stamper: { stamp } });
}

export async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return new Error("it was not refused");
}
