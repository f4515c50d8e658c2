import { randomUUID } from "node:crypto";
import { createCache } from "@keyhearth/api/documents/cache";
import { createSignup } from "@keyhearth/api/host/signup";
import { createLog } from "@keyhearth/api/observability/log";
import { unitOf } from "@keyhearth/api/store/commit-unit";
import {
  appOf,
  newKey,
  newOrganization,
  rootOrganizationIdOf,
  startTestServer,
  type TestKey,
  type TestServer,
} from "@keyhearth/api/testing";
import { concatBytes, decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import type { Answer, Proposal } from "@keyhearth/engine/core/protocol";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import { upcast } from "@keyhearth/engine/records/kind";
import { type OrganizationDocument, organization } from "@keyhearth/engine/records/organization";
import {
  RECORD_MAGIC,
  type RecordHeader,
  readRecord,
  recordDigest,
  TAG_LENGTH,
} from "@keyhearth/engine/records/record";
import { expect } from "vitest";

/** A server whose database and messages the attacker controls. */
export type Attacked = TestServer & {
  /** Lines that the host wrote at `warn` and above. */
  lines: Record<string, unknown>[];
};

export async function startAttackedServer(
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<Attacked> {
  const server = await startTestServer(options);
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  server.host.log = createLog({ level: "warn", destination });
  return Object.assign(server, { lines });
}

export type Person = { userId: string; key: TestKey };

export type Victim = { organizationId: string; people: [Person, ...Person[]] };

/** An organization with several root users, of whom `threshold` must agree. */
export async function newVictim(
  server: Attacked,
  { rootUsers = 1, threshold = 1 }: { rootUsers?: number; threshold?: number } = {},
): Promise<Victim> {
  const { organizationId, userId, rootKey } = await newOrganization(server);
  const people: [Person, ...Person[]] = [{ userId, key: rootKey }];
  const victim = { organizationId, people };
  for (let index = 1; index < rootUsers; index++) people.push(await addUser(server, victim));
  if (rootUsers > 1) {
    const userIds = people.map((each) => each.userId);
    await perform(server, victim, quorum(threshold, userIds));
  }
  return victim;
}

/** A sub-organization with one root user. */
export async function newChild(server: Attacked, parent: Victim): Promise<Victim> {
  const key = newKey();
  const reply = await perform(server, parent, makeSubOrganization(key));
  const { subOrganizationId, rootUserIds } = resultOf(reply, "createSubOrganizationResultV7") as {
    subOrganizationId: string;
    rootUserIds: [string];
  };
  return { organizationId: subOrganizationId, people: [{ userId: rootUserIds[0], key }] };
}

/** A new organization of somebody at this address, from open sign-up. */
export async function signUp(server: Attacked, address: string): Promise<Victim> {
  const key = newKey();
  const parameters = { organizationName: "Stranger", rootApiKey: apiKey(key) };
  const type = "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2";
  const body = bytesOf(server, await rootOrganizationIdOf(server), { type, parameters });
  const app = appOf(server.host, {
    signup: createSignup({ isOpen: true, isLimited: true }),
    clientAddress: () => address,
  });
  const fetch: typeof globalThis.fetch = async (url, init) => app.request(String(url), init);
  const stamp = stampOf(key, body);
  const reply = await send({ ...server, fetch }, "create_organization", body, stamp);
  const { organizationId, userId } = resultOf(reply, "createOrganizationResult");
  return { organizationId: String(organizationId), people: [{ userId: String(userId), key }] };
}

export async function addUser(server: Attacked, victim: Victim): Promise<Person> {
  const key = newKey();
  const reply = await perform(server, victim, {
    endpoint: "create_users",
    type: "ACTIVITY_TYPE_CREATE_USERS_V3",
    parameters: {
      users: [
        {
          userName: `user ${randomUUID().slice(0, 8)}`,
          apiKeys: [apiKey(key)],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    },
  });
  const [userId] = resultOf(reply, "createUsersResult").userIds as string[];
  if (userId === undefined) throw new Error("a user without an id");
  return { userId, key };
}

/** What a client asks for, before it is turned into bytes. */
export type Ask = { endpoint: string; type: string; parameters: Record<string, unknown> };

export function quorum(threshold: number, userIds: string[]): Ask {
  return {
    endpoint: "update_root_quorum",
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    parameters: { threshold, userIds },
  };
}

export function apiKey({ publicKey }: TestKey, expirationSeconds?: string) {
  return {
    apiKeyName: `key ${publicKey.slice(0, 12)}`,
    publicKey,
    curveType: "API_KEY_CURVE_P256",
    ...(expirationSeconds ? { expirationSeconds } : {}),
  };
}

export function addKey({ userId }: Person, key: TestKey, expirationSeconds?: string): Ask {
  return {
    endpoint: "create_api_keys",
    type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    parameters: { userId, apiKeys: [apiKey(key, expirationSeconds)] },
  };
}

export function deleteKey({ userId }: Person, apiKeyId: string): Ask {
  return {
    endpoint: "delete_api_keys",
    type: "ACTIVITY_TYPE_DELETE_API_KEYS",
    parameters: { userId, apiKeyIds: [apiKeyId] },
  };
}

export const ethereumAccount = (index = 0) => ({
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: `m/44'/60'/0'/0/${index}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
});

export function makeWallet(walletName = "wallet"): Ask {
  return {
    endpoint: "create_wallet",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName, accounts: [ethereumAccount()] },
  };
}

export function makeAccount(walletId: string, index = 1): Ask {
  return {
    endpoint: "create_wallet_accounts",
    type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
    parameters: { walletId, accounts: [ethereumAccount(index)] },
  };
}

export function makePrivateKey(privateKeyName = "private key"): Ask {
  return {
    endpoint: "create_private_keys",
    type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
    parameters: {
      privateKeys: [
        {
          privateKeyName,
          curve: "CURVE_SECP256K1",
          privateKeyTags: [],
          addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        },
      ],
    },
  };
}

export function sign(signWith: string, payload = "pay the attacker"): Ask {
  return {
    endpoint: "sign_raw_payload",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    parameters: {
      signWith,
      payload,
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    },
  };
}

export function makeSubOrganization(key: TestKey, expiring?: TestKey): Ask {
  return {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: "sub",
      rootUsers: [
        {
          userName: "owner",
          apiKeys: [apiKey(key), ...(expiring ? [apiKey(expiring, "60")] : [])],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      wallet: { walletName: "default", accounts: [ethereumAccount()] },
    },
  };
}

export function makePolicy(
  policyName: string,
  effect: "EFFECT_ALLOW" | "EFFECT_DENY",
  clauses: { condition?: string; consensus?: string },
): Ask {
  return {
    endpoint: "create_policy",
    type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
    parameters: { policyName, effect, ...clauses, notes: "" },
  };
}

/** Switches a feature on, with its value if it has one. */
export function setFeature(name: string, value?: string): Ask {
  return {
    endpoint: "set_organization_feature",
    type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    parameters: { name, ...(value !== undefined && { value }) },
  };
}

export function approve(fingerprint: string): Ask {
  return {
    endpoint: "approve_activity",
    type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
    parameters: { fingerprint },
  };
}

export function reject(fingerprint: string): Ask {
  return {
    endpoint: "reject_activity",
    type: "ACTIVITY_TYPE_REJECT_ACTIVITY",
    parameters: { fingerprint },
  };
}

/** The exact text of a request, with the server's current time. */
export function bytesOf(
  server: Attacked,
  organizationId: string,
  { type, parameters }: Pick<Ask, "type" | "parameters">,
): string {
  const timestampMs = String(Date.now() + server.clock.offsetMs);
  return JSON.stringify({ type, timestampMs, organizationId, parameters });
}

export function stampOf({ privateKey }: TestKey, body: string) {
  const signer = {
    privateKey: decodeHex(privateKey),
    scheme: "SIGNATURE_SCHEME_TK_API_P256" as const,
  };
  return { name: "X-Stamp", value: createApiKeyStamp(signer, encodeUtf8(body)) };
}

export type Reply = {
  status: number;
  /** The stable machine code of an error. */
  reason: string | undefined;
  message: string | undefined;
  activity: ShownActivity | undefined;
};

type ShownActivity = {
  organizationId: string;
  votes: unknown[];
  id: string;
  status: string;
  fingerprint: string;
  result: Record<string, Record<string, unknown>>;
};

/** Sends bytes with a stamp, once. */
export async function send(
  server: Attacked,
  endpoint: string,
  body: string,
  stamp: { name: string; value: string },
): Promise<Reply> {
  const response = await server.fetch(`http://keyhearth.test/public/v1/submit/${endpoint}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", [stamp.name]: stamp.value },
    body,
  });
  const { activity, message, details } = (await response.json()) as {
    activity?: ShownActivity;
    message?: string;
    details?: { code?: string }[];
  };
  return { status: response.status, reason: details?.[0]?.code, message, activity };
}

/** Stamps and sends a request of the victim's first user, or of another one. */
export async function ask(
  server: Attacked,
  { organizationId, people }: Victim,
  what: Ask,
  key = people[0].key,
): Promise<Reply & { body: string }> {
  const body = bytesOf(server, organizationId, what);
  const reply = await send(server, what.endpoint, body, stampOf(key, body));
  return { ...reply, body };
}

/** Like `ask`, for requests that must succeed. */
export async function perform(server: Attacked, victim: Victim, what: Ask, key?: TestKey) {
  const reply = await ask(server, victim, what, key);
  expect(reply).toMatchObject({ status: 200, reason: undefined });
  return reply;
}

export function resultOf({ activity }: Reply, resultKey: string): Record<string, unknown> {
  const result = activity?.result[resultKey];
  if (!result) throw new Error(`no ${resultKey}: ${JSON.stringify(activity)}`);
  return result;
}

export async function newWallet(server: Attacked, victim: Victim, name?: string) {
  const reply = await perform(server, victim, makeWallet(name));
  const { walletId, addresses } = resultOf(reply, "createWalletResult") as {
    walletId: string;
    addresses: [string];
  };
  return { walletId, address: addresses[0], body: reply.body };
}

export async function newPrivateKey(server: Attacked, victim: Victim) {
  const reply = await perform(server, victim, makePrivateKey());
  const { privateKeys } = resultOf(reply, "createPrivateKeysResultV2") as {
    privateKeys: [{ privateKeyId: string; addresses: [{ address: string }] }];
  };
  const [{ privateKeyId, addresses }] = privateKeys;
  return { privateKeyId, address: addresses[0].address };
}

/** Runs SQL, as somebody who controls the database can. */
export function edit(server: Attacked, text: string, values: unknown[] = []) {
  // The host forgets what it has read, as after a restart.
  server.host.cache = createCache();
  return server.store.run(`attack-${randomUUID()}`, text, values);
}

const tables = [
  "organizations",
  "organization_documents",
  "lookups",
  "sessions",
  "wallets",
  "wallet_accounts",
  "wallet_account_names",
  "private_keys",
  "private_key_addresses",
  "smart_contract_interfaces",
  "otps",
  "activities",
  "leaves",
];

/** Everything that the database holds about an organization, to compare it or to put it back. */
export async function rowsOf(server: Attacked, organizationId: string, only = tables) {
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const table of only) {
    const text = `SELECT * FROM ${table} WHERE organization_id = $1::uuid ORDER BY ${table}::text`;
    const rows = await server.store.run(`rows-of-${table}`, text, [organizationId]);
    found[table] = rows.map((row) => ({ ...row }));
  }
  return found;
}

/** One digest of everything that the database holds about these organizations. */
async function stateOf(server: Attacked, organizationIds: string[]) {
  const text = tables
    .map(
      (table) =>
        `SELECT '${table}' AS name, count(*), md5(string_agg(t::text, ' ' ORDER BY t::text))
         FROM ${table} t WHERE organization_id = ANY($1::uuid[])`,
    )
    .join(" UNION ALL ");
  return server.store.run("state", text, [organizationIds]);
}

/** Puts an organization's earlier rows back into one table. */
export async function putBack(
  server: Attacked,
  organizationId: string,
  table: string,
  saved: Record<string, Record<string, unknown>[]>,
) {
  await edit(server, `DELETE FROM ${table} WHERE organization_id = $1::uuid`, [organizationId]);
  for (const row of saved[table] ?? []) {
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`).join(", ");
    await edit(
      server,
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`,
      Object.values(row),
    );
  }
}

export type Refusal = {
  status: number;
  reason: string;
  /** What the signer must log; null if any client may get this answer. */
  signerLog?: RegExp | null;
};

/**
 * Expects that the attack is refused with this error, appears in the signer's log and leaves every
 * record of these organizations as it was.
 */
export async function expectRefused(
  server: Attacked,
  organizationIds: string[],
  attack: () => Promise<Reply>,
  { status, reason, signerLog = null }: Refusal,
): Promise<Reply> {
  const before = await stateOf(server, organizationIds);
  const logged = server.events.length;
  const reply = await attack();
  expect(reply).toMatchObject({ status, reason, activity: undefined });
  expect(await stateOf(server, organizationIds)).toEqual(before);
  if (signerLog) expectLogged(server, logged, signerLog);
  return reply;
}

export function expectLogged(server: Attacked, since: number, message: RegExp) {
  const refusals = server.events.slice(since).filter(({ event }) => event === "refused");
  expect(refusals.map((each) => each.message)).toContainEqual(expect.stringMatching(message));
}

/** Expects an alarm in the host's log. */
export function expectAlarm({ lines }: Attacked, message: RegExp) {
  const errors = lines.filter(({ level }) => level === "error").map(({ msg }) => msg);
  expect(errors).toContainEqual(expect.stringMatching(message));
}

/** A record with a changed header or body, under its old tag. */
export function forge<Body>(
  bytes: Uint8Array,
  change: (record: { header: RecordHeader; body: Body }) => void,
): Uint8Array {
  const { header, body } = readRecord(bytes);
  const record = { header, body: body as Body };
  change(record);
  const headerBytes = encodeUtf8(JSON.stringify(record.header));
  const bodyBytes = encodeUtf8(JSON.stringify(record.body));
  return concatBytes(
    encodeUtf8(RECORD_MAGIC),
    u32(record.header.keyEpoch),
    u32(headerBytes.length),
    headerBytes,
    u32(bodyBytes.length),
    bodyBytes,
    bytes.subarray(bytes.length - TAG_LENGTH),
  );
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** Replaces the newest document by another record, and updates everything that names it. */
export async function putDocument(server: Attacked, organizationId: string, record: Uint8Array) {
  const digest = recordDigest(record);
  await edit(
    server,
    `UPDATE organization_documents d SET record = $2::bytea, digest = $3::text FROM organizations o
     WHERE d.organization_id = $1::uuid AND o.organization_id = d.organization_id
       AND d.version = o.version`,
    [organizationId, record, digest],
  );
  await edit(
    server,
    "UPDATE organizations SET digest = $2::text WHERE organization_id = $1::uuid",
    [organizationId, digest],
  );
}

export async function editDocument(
  server: Attacked,
  organizationId: string,
  change: (document: OrganizationDocument) => void,
) {
  const forged = forge<OrganizationDocument>(await documentOf(server, organizationId), ({ body }) =>
    change(body),
  );
  await putDocument(server, organizationId, forged);
}

/** The bytes of the newest document. */
export async function documentOf(server: Attacked, organizationId: string): Promise<Uint8Array> {
  return recordOf(
    server,
    `SELECT d.record FROM organization_documents d JOIN organizations o
       ON o.organization_id = d.organization_id AND o.version = d.version
     WHERE d.organization_id = $1::uuid`,
    [organizationId],
  );
}

export async function recordOf(server: Attacked, text: string, values: unknown[]) {
  const [row] = await edit(server, text, values);
  if (!(row?.record instanceof Uint8Array)) throw new Error("no such record");
  return new Uint8Array(row.record);
}

type Knock = {
  endpoint: string;
  body: string;
  key?: TestKey | undefined;
  stamp?: StampHeader | null;
  records: Uint8Array[];
};

/** Talks to the signer as the API does, with records of the attacker's choice. */
export function knock(server: Attacked, knocked: Knock): Answer {
  return server.signer.handle(callOf(knocked));
}

/** The same with a request whose statements or tokens the signer verifies first. */
export function knockVerified(server: Attacked, knocked: Knock): Promise<Answer> {
  return server.signer.answer(callOf(knocked));
}

export function callOf({
  endpoint,
  body,
  key,
  stamp = key ? stampOf(key, body) : null,
  records,
}: Knock) {
  return {
    call: "submit" as const,
    endpoint,
    body: encodeUtf8(body),
    stamp,
    records: records.map(recordDigest),
    attachments: records,
  };
}

/** The core's proposal for a user's request, decided by the newest document. */
export async function proposalFor(
  server: Attacked,
  victim: Victim,
  what: Ask,
  { body = bytesOf(server, victim.organizationId, what), records = [] as Uint8Array[] } = {},
): Promise<Proposal & { body: string }> {
  const document = await documentOf(server, victim.organizationId);
  const { key } = victim.people[0];
  const answer = knock(server, {
    endpoint: what.endpoint,
    body,
    key,
    records: [document, ...records],
  });
  if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
  return { ...answer, body };
}

/** Commits a proposal and reports it, as an honest host does. */
export async function commit(server: Attacked, proposal: Proposal) {
  const document = upcast(
    organization,
    readRecord(await documentOf(server, proposal.organizationId)),
  );
  expect(await server.host.committer.commit(unitOf(proposal, document))).toBe(true);
  if (proposal.ticket === null) return;
  expect(server.signer.handle({ call: "confirm", ticket: proposal.ticket })).toEqual({
    kind: "confirmed",
  });
}

/** The record of one type in a proposal. */
export function writtenBy({ attachments }: Proposal, type: string): Uint8Array {
  const bytes = attachments.find((each) => readRecord(each).header.type === type);
  if (!bytes) throw new Error(`the proposal writes no ${type}`);
  return bytes;
}
