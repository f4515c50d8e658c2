import {
  type KeyhearthClient,
  type ReceiptsFile,
  UnexpectedAnswer,
  Unverified,
} from "@keyhearth/sdk";
import { verifyReceipts } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { type Pieces, writePrivate } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { createLines, FORM, type Kind, withoutBearers } from "../organization-file.ts";
import { count, plain, type Report } from "../output.ts";
import { entriesOf } from "../pages.ts";

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
  const { client, organizationId, quorumPublicKey } = await connect(given, surroundings);
  const lines = createLines();
  const pieces: Pieces = async (append) => {
    const add = async (kind: Kind, organization: string, data: unknown) => {
      await append(lines.add({ kind, organizationId: organization, data }));
    };
    const startedAt = new Date().toISOString();
    await add("export", organizationId, { version: FORM, startedAt, withSubOrganizations });
    const ids = withSubOrganizations ? subOrganizationsOf(client) : [];
    const exporting = { client, quorumPublicKey, add, surroundings };
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
          ? "the receipts and addresses are proven by the quorum key that the profile has pinned"
          : "nothing was verified, because no profile has pinned a quorum key: run `keyhearth organizations verify` with the key of your operator",
      ].join("\n"),
  };
}

type Exporting = {
  readonly client: KeyhearthClient;
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
  for await (const activity of activitiesOf(client, organizationId)) {
    await add("activity", organizationId, withoutBearers(activity));
    shown += 1;
    if (shown % 100 === 0) show(count(shown, "activity", "activities"));
  }
  await exportReceipts(exporting, organizationId, show);
}

/** All of them, newest first. A page may end before its limit if its activities are large, so only an empty one is the last. */
async function* activitiesOf(client: KeyhearthClient, organizationId: string) {
  let before: string | undefined;
  for (;;) {
    const paginationOptions = { limit: "100", ...(before !== undefined && { before }) };
    const { activities } = await client.listActivities({ paginationOptions }, { organizationId });
    const last = activities.at(-1);
    if (last === undefined) return;
    yield* activities;
    // Ids are ordered by time, so pages that do not go on would have the same ones again and again.
    if (before !== undefined && last.id >= before) throw endless();
    before = last.id;
  }
}

/**
 * Page by page, each verified as the continuation of the one before it. It ends when a page has nothing new: then what the
 * page before counted as not sealed is all that has no receipt.
 */
async function exportReceipts(
  { client, quorumPublicKey, add }: Exporting,
  organizationId: string,
  show: (what: string) => void,
): Promise<void> {
  let [after, receipts] = [0, 0];
  let from: string | null = null;
  let before: number | null = null;
  for (;;) {
    const asked = { afterSegment: String(after), limit: "100" };
    const { receiptsFile, unsealed } = await client.getReceipts(asked, { organizationId });
    const last = receiptsFile.segments.at(-1);
    if (last === undefined) {
      if (before === null) {
        before = unsealed;
        continue;
      }
      return add("receipts", organizationId, { receiptsFile, unsealed: before });
    }
    if (quorumPublicKey !== undefined) {
      from = verified(receiptsFile, quorumPublicKey, { organizationId, from });
    }
    await add("receipts", organizationId, { receiptsFile, unsealed });
    receipts += receiptsFile.receipts.length;
    show(count(receipts, "receipt"));
    const number = numberOf(last.payload);
    if (!(number > after)) throw endless();
    after = number;
    before = unsealed;
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
  if (!problem && report.organizationId === organizationId) {
    return report.lastSegment?.digest ?? from;
  }
  const why = problem?.message ?? "they are of another organization";
  throw new Unverified(
    `The receipts of organization ${organizationId} are not valid: ${why}. Nothing was written; ask your operator`,
    { code: "UNVERIFIED" },
  );
}

function numberOf(payload: string): number {
  try {
    const { number } = JSON.parse(payload);
    return Number.isSafeInteger(number) ? number : 0;
  } catch {
    return 0;
  }
}

function endless(): UnexpectedAnswer {
  return new UnexpectedAnswer("the pages of a list do not end", { code: "INVALID_RESPONSE" });
}
