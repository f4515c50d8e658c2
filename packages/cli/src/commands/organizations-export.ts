import { setTimeout } from "node:timers/promises";
import {
  type KeyhearthClient,
  type ReceiptsFile,
  UnexpectedAnswer,
  Unverified,
} from "@keyhearth/sdk";
import { verifyReceipts } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { connect, newClient } from "../connection/connect.ts";
import { type Pieces, writePrivate } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { asExported, createLines, FORM, type Kind } from "../organization-file.ts";
import { count, plain, type Report } from "../output.ts";
import { entriesOf } from "../pages.ts";
import { countLeaves, lastNumberOf } from "../receipts.ts";

/**
 * Writes all that the service shows of the organization to a file: its users, policies, wallets, the public parts of keys,
 * activities and receipts. Nothing is there until all of it is, so a run that failed is simply run again.
 */
export async function organizationsExport(
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const file = given.word(0);
  const withSubOrganizations = given.has("sub-organizations");
  const connected = await connect(given, surroundings);
  const { client, organizationId, quorumPublicKey } = connected;
  // Activities name keys that were deleted since, whose addresses nobody can prove. What verifies the file compares each
  // activity with its receipt.
  const lister = newClient({ ...connected, quorumPublicKey: undefined }, surroundings.asked);
  const lines = createLines();
  const pieces: Pieces = async (append) => {
    const add = async (kind: Kind, organization: string, data: unknown) => {
      await append(lines.add({ kind, organizationId: organization, data }));
    };
    const startedAt = new Date().toISOString();
    await add("export", organizationId, { version: FORM, startedAt, withSubOrganizations });
    const ids = withSubOrganizations ? subOrganizationsOf(client) : [];
    const exporting = { client, lister, quorumPublicKey, add, surroundings };
    await exportOne(exporting, organizationId);
    for await (const id of ids) await exportOne(exporting, id);
    await append(lines.end());
  };
  const written = await writePrivate(file, pieces, { isNew: true, isOwnFolder: false });
  surroundings.progress.clear();
  if (!written) throw new InputError(`${plain(file)} exists: give the name of a new file`);

  const counts = lines.counts();
  const isVerified = quorumPublicKey !== undefined;
  const { organization: organizations = 0, activity: activities = 0 } = counts;
  return {
    exitCode: 0,
    json: { file, organizations, activities, counts, isVerified },
    text: () =>
      [
        `wrote ${count(organizations, "organization")} with ${count(activities, "activity", "activities")} to ${plain(file)}`,
        isVerified
          ? "the receipts and the addresses of keys that exist are proven by the quorum key that the profile has pinned: run `keyhearth organizations verify` to compare the activities with their receipts"
          : "nothing was verified, because no profile has pinned a quorum key: run `keyhearth organizations verify` with the key of your operator",
      ].join("\n"),
  };
}

type Exporting = {
  readonly client: KeyhearthClient;
  /** Lists activities as the service shows them. */
  readonly lister: KeyhearthClient;
  readonly quorumPublicKey: string | undefined;
  readonly add: (kind: Kind, organizationId: string, data: unknown) => Promise<void>;
  readonly surroundings: Surroundings;
};

function subOrganizationsOf(client: KeyhearthClient): AsyncGenerator<string> {
  return entriesOf(
    async (paginationOptions) => (await client.listSuborgs({ paginationOptions })).organizationIds,
    (id) => id,
  );
}

async function exportOne(exporting: Exporting, organizationId: string): Promise<void> {
  const { client, add, surroundings } = exporting;
  const of = { organizationId };
  const show = (what: string) =>
    surroundings.progress.show(`organization ${organizationId}: ${what}`);
  show("users, policies and wallets");
  const { organizationData } = await client.getOrganization({}, of);
  const { users, policies, tags, wallets, privateKeys, ...organization } = organizationData;
  await add("organization", organizationId, organization);
  const lists: [Kind, readonly unknown[] | undefined][] = [
    ["user", users],
    ["tag", tags],
    ["policy", policies],
    ["wallet", wallets],
    ["private-key", privateKeys],
    [
      "smart-contract-interface",
      (await client.listSmartContractInterfaces({}, of)).smartContractInterfaces,
    ],
    ["oauth2-credential", (await client.listOauth2Credentials({}, of)).oauth2Credentials],
    ["webhook-endpoint", (await client.listWebhookEndpoints({}, of)).webhookEndpoints],
  ];
  for (const [kind, list = []] of lists) {
    for (const each of list) await add(kind, organizationId, each);
  }
  const accounts = entriesOf(
    async (paginationOptions) =>
      (await client.listWalletAccounts({ paginationOptions }, of)).accounts,
    ({ walletAccountId }) => walletAccountId,
  );
  for await (const account of accounts) await add("wallet-account", organizationId, account);
  let shown = 0;
  for await (const activity of activitiesOf(exporting, organizationId)) {
    await add("activity", organizationId, asExported(activity));
    shown += 1;
    if (shown % 100 === 0) show(count(shown, "activity", "activities"));
  }
  await exportReceipts(exporting, organizationId, show);
}

/**
 * All of them, newest first. A page may end before its limit if its activities are large, so only an empty one is the last.
 * Each has a receipt, except the newest ones, so a service that makes up older and older ones is asked for their receipts.
 */
async function* activitiesOf(exporting: Exporting, organizationId: string) {
  const { lister } = exporting;
  const pages = createReceiptPages(exporting, organizationId);
  let before: string | undefined;
  let listed = 0;
  for (;;) {
    const paginationOptions = { limit: "100", ...(before !== undefined && { before }) };
    const { activities } = await lister.listActivities({ paginationOptions }, { organizationId });
    const last = activities.at(-1);
    if (last === undefined) return;
    listed += activities.length;
    await assertReceipted(pages, { organizationId, listed });
    yield* activities;
    // Ids are ordered by time, so pages that do not go on would have the same ones again and again.
    if (before !== undefined && last.id >= before) throw endless();
    before = last.id;
  }
}

/** As many as a page has may wait for their receipts. */
const MOST_WITHOUT_RECEIPT = 100;

/** The signer seals receipts about every five seconds. */
const MOST_WAIT_MS = 15_000;
const ASK_AGAIN_MS = 500;

/** Reads on in the receipts only as far as there are activities, so a small organization is asked for none here. */
async function assertReceipted(
  pages: ReceiptPages,
  { organizationId, listed }: { organizationId: string; listed: number },
): Promise<void> {
  const wait = createWait();
  while (pages.receipts() + MOST_WITHOUT_RECEIPT < listed) {
    const { isEmpty } = await pages.next();
    if (!isEmpty) continue;
    if (await wait()) continue;
    throw new Unverified(
      `The service lists ${listed} activities of organization ${organizationId}, but it has only ${count(pages.receipts(), "receipt")}. Nothing was written; ask your operator, or run it again if the organization is new`,
      { code: "UNVERIFIED" },
    );
  }
}

/** Waits a little, and answers whether there was still time for it. */
function createWait(): () => Promise<boolean> {
  const end = Date.now() + MOST_WAIT_MS;
  return async () => {
    if (Date.now() >= end) return false;
    await setTimeout(ASK_AGAIN_MS);
    return true;
  };
}

type ReceiptPages = ReturnType<typeof createReceiptPages>;

/** Asks for one page after the other, each verified as the continuation of the one before it. */
function createReceiptPages({ client, quorumPublicKey }: Exporting, organizationId: string) {
  let [after, receipts] = [0, 0];
  let from: string | null = null;

  async function next() {
    const asked = { afterSegment: String(after), limit: "100" };
    const { receiptsFile, unsealed } = await client.getReceipts(asked, { organizationId });
    if (!Array.isArray(receiptsFile?.segments) || !Array.isArray(receiptsFile.receipts)) {
      throw new UnexpectedAnswer("an answer without receipts", { code: "INVALID_RESPONSE" });
    }
    const page = { receiptsFile, unsealed, isEmpty: receiptsFile.segments.length === 0 };
    if (page.isEmpty) return page;
    if (quorumPublicKey !== undefined) {
      from = verified(receiptsFile, quorumPublicKey, { organizationId, from });
    }
    receipts += receiptsFile.receipts.length;
    const number = lastNumberOf(receiptsFile.segments);
    // Every segment has a receipt.
    if (!(number > after) || receiptsFile.receipts.length === 0) throw endless();
    after = number;
    return page;
  }

  return { next, receipts: () => receipts };
}

/**
 * All pages. It ends when a page has nothing new: then what the page before counted as not sealed is all that has no receipt.
 * It waits some seconds for all that was not sealed at the first such page, because that may be of an activity of the list.
 */
async function exportReceipts(
  exporting: Exporting,
  organizationId: string,
  show: (what: string) => void,
): Promise<void> {
  const pages = createReceiptPages(exporting, organizationId);
  const add = (receiptsFile: ReceiptsFile, unsealed: number) =>
    exporting.add("receipts", organizationId, { receiptsFile, unsealed });
  const wait = createWait();
  let left: number | undefined;
  let wanted: number | undefined;
  for (;;) {
    const { receiptsFile, unsealed, isEmpty } = await pages.next();
    if (!isEmpty) {
      await add(receiptsFile, unsealed);
      show(count(pages.receipts(), "receipt"));
      left = unsealed;
      continue;
    }
    wanted ??= pages.receipts() + unsealed;
    left ??= unsealed;
    const isWhole = pages.receipts() >= wanted;
    if (isWhole || !(await wait())) return add(receiptsFile, left);
  }
}

/** The digest of the last segment. */
function verified(
  file: ReceiptsFile,
  quorumPublicKey: string,
  { organizationId, from }: { organizationId: string; from: string | null },
): string | null {
  const report = verifyReceipts(file, quorumPublicKey, { from });
  const [problem] = report.problems;
  const isOwn = report.organizationId === organizationId;
  const missing = countLeaves(file.segments) - report.receipts;
  if (!problem && isOwn && missing === 0) return report.lastSegment?.digest ?? from;
  const why =
    problem?.message ??
    (isOwn ? `${count(missing, "receipt")} missing` : "they are of another organization");
  throw new Unverified(
    `The receipts of organization ${organizationId} are not valid: ${why}. Nothing was written; ask your operator`,
    { code: "UNVERIFIED" },
  );
}

function endless(): UnexpectedAnswer {
  return new UnexpectedAnswer("the pages of a list do not end", { code: "INVALID_RESPONSE" });
}
