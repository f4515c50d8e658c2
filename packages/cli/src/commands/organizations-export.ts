import { setTimeout } from "node:timers/promises";
import {
  type KeyhearthClient,
  type ReceiptsFile,
  Unavailable,
  UnexpectedAnswer,
  Unverified,
} from "@keyhearth/sdk";
import { verifyReceipts } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { connect, newClient } from "../connection/connect.ts";
import { openPartFile, type PartFile } from "../connection/part-file.ts";
import { InputError } from "../errors.ts";
import { asExported, createLines, FORM, type Kind, type Lines } from "../organization-file.ts";
import {
  NOTHING,
  type Part,
  type ReceiptsSoFar,
  readPart,
  type SoFar,
  type Wanted,
} from "../organization-part.ts";
import { count, plain, type Report } from "../output.ts";
import { entriesOf } from "../pages.ts";
import { countLeaves, lastNumberOf } from "../receipts.ts";

/** For how long a service that does not answer is asked again, unless the command line says otherwise. */
const RETRY_SECONDS = 120;

/**
 * Writes all that the service shows of the organization to a file: its users, policies, wallets, the public parts of keys,
 * activities and receipts. Until all of it is there, what is there is in FILE.part, with which another run goes on.
 */
export async function organizationsExport(
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const file = given.word(0);
  const withSubOrganizations = given.has("sub-organizations");
  const forSeconds = given.count("retry-seconds", { least: 0, most: 86_400 }) ?? RETRY_SECONDS;
  const connected = await connect(given, surroundings);
  const { client, organizationId, quorumPublicKey } = connected;
  // Activities name keys that were deleted since, whose addresses nobody can prove. What verifies the file compares each
  // activity with its receipt.
  const lister = newClient({ ...connected, quorumPublicKey: undefined }, surroundings.asked);
  const taken = () => new InputError(`${plain(file)} exists: give the name of a new file`);
  const part = await openPartFile(file);
  if (part === null) throw taken();
  let lines = createLines();
  try {
    const wanted = { organizationId, withSubOrganizations };
    const verify: Parameters<typeof readPart>[2] = (page, place) =>
      quorumPublicKey === undefined ? null : verified(page, quorumPublicKey, place);
    const known = part.size > 0 ? await readPart(part.path, wanted, verify) : null;
    await part.cutAt(known?.size ?? 0);
    lines = known?.lines ?? lines;
    const add = async (kind: Kind, organization: string, data: unknown) => {
      await part.append(lines.add({ kind, organizationId: organization, data }));
    };
    if (known) {
      const there = count(lineCount(lines), "line");
      surroundings.stderr.write(
        `keyhearth: going on with ${plain(part.path)}, which has ${there}\n`,
      );
    } else {
      const startedAt = new Date().toISOString();
      await add("export", organizationId, { version: FORM, startedAt, withSubOrganizations });
    }
    const again = createRetries(surroundings, forSeconds);
    const keep = () => part.keep();
    const exporting = { client, lister, quorumPublicKey, add, again, keep, surroundings };
    await exportAll(exporting, wanted, known);
    const { text, sha256 } = lines.end();
    await part.append(text);
    if (!(await part.finish(sha256))) throw taken();
  } catch (error) {
    // What waiting does not help would be in the way of the next run.
    if (error instanceof Unavailable) sayHowToGoOn(part, lines, surroundings);
    else if (!(error instanceof InputError)) part.drop();
    throw error;
  } finally {
    surroundings.progress.clear();
    await part.close();
  }

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

function lineCount(lines: Lines): number {
  return Object.values(lines.counts()).reduce((sum, each) => sum + each, 0);
}

function sayHowToGoOn(part: PartFile, lines: Lines, { progress, stderr }: Surroundings) {
  if (!part.isKept()) return;
  progress.clear();
  stderr.write(
    `keyhearth: ${plain(part.path)} has ${count(lineCount(lines), "line")}: run the same command to go on from there\n`,
  );
}

/** What was under way first, then the organization, then its sub-organizations. */
async function exportAll(
  exporting: Exporting,
  { organizationId, withSubOrganizations }: Wanted,
  known: Part | null,
): Promise<void> {
  const { underWay } = known ?? {};
  const whole = new Set(known?.whole);
  if (whole.size > 0) exporting.keep();
  if (underWay) {
    await goOn(exporting, underWay);
    whole.add(underWay.organizationId);
  }
  if (!whole.has(organizationId)) await exportOne(exporting, organizationId);
  if (!withSubOrganizations) return;
  for await (const id of subOrganizationsOf(exporting)) {
    if (!whole.has(id)) await exportOne(exporting, id);
  }
}

type Again = <Result>(work: () => Promise<Result>) => Promise<Result>;

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Asks again if nobody answers, or the service cannot, after longer and longer. One that has never answered is not waited
 * for: its address may be wrong.
 */
function createRetries({ asked, progress, stderr }: Surroundings, forSeconds: number): Again {
  return async (work) => {
    const until = Date.now() + forSeconds * 1000;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        return await work();
      } catch (error) {
        const isOver = Date.now() + waitMs > until || !asked.isAnswered;
        if (!(error instanceof Unavailable) || isOver) throw error;
        if (waitMs === FIRST_WAIT_MS) {
          progress.clear();
          stderr.write(
            `keyhearth: the service does not answer (${plain(error.code)}); trying again for up to ${forSeconds} s\n`,
          );
        }
        progress.show(`the service does not answer: trying again in ${waitMs / 1000} s`);
        await setTimeout(waitMs);
      }
    }
  };
}

type Exporting = {
  readonly client: KeyhearthClient;
  /** Lists activities as the service shows them. */
  readonly lister: KeyhearthClient;
  readonly quorumPublicKey: string | undefined;
  readonly add: (kind: Kind, organizationId: string, data: unknown) => Promise<void>;
  /** Around each request. */
  readonly again: Again;
  /** From here on, another run can go on with what is there. */
  readonly keep: () => void;
  readonly surroundings: Surroundings;
};

function subOrganizationsOf({ client, again }: Exporting): AsyncGenerator<string> {
  return entriesOf(
    async (paginationOptions) =>
      (await again(() => client.listSuborgs({ paginationOptions }))).organizationIds,
    (id) => id,
  );
}

async function exportOne(exporting: Exporting, organizationId: string): Promise<void> {
  const { client, add, again, surroundings } = exporting;
  const of = { organizationId };
  surroundings.progress.show(`organization ${organizationId}: users, policies and wallets`);
  const { organizationData } = await again(() => client.getOrganization({}, of));
  const interfaces = await again(() => client.listSmartContractInterfaces({}, of));
  const credentials = await again(() => client.listOauth2Credentials({}, of));
  const endpoints = await again(() => client.listWebhookEndpoints({}, of));
  const { users, policies, tags, wallets, privateKeys, ...organization } = organizationData;
  await add("organization", organizationId, organization);
  const lists: [Kind, readonly unknown[] | undefined][] = [
    ["user", users],
    ["tag", tags],
    ["policy", policies],
    ["wallet", wallets],
    ["private-key", privateKeys],
    ["smart-contract-interface", interfaces.smartContractInterfaces],
    ["oauth2-credential", credentials.oauth2Credentials],
    ["webhook-endpoint", endpoints.webhookEndpoints],
  ];
  for (const [kind, list = []] of lists) {
    for (const each of list) await add(kind, organizationId, each);
  }
  await goOn(exporting, { ...NOTHING, organizationId });
}

/** Exports what follows the records of an organization, from where it is. */
async function goOn(exporting: Exporting, soFar: SoFar): Promise<void> {
  const { client, add, again, keep, surroundings } = exporting;
  const { organizationId } = soFar;
  const of = { organizationId };
  const show = (what: string) =>
    surroundings.progress.show(`organization ${organizationId}: ${what}`);
  const isAtAccounts = soFar.activity === undefined && soFar.receipts === undefined;
  if (isAtAccounts) {
    const accounts = entriesOf(
      async (paginationOptions) =>
        (await again(() => client.listWalletAccounts({ paginationOptions }, of))).accounts,
      ({ walletAccountId }) => walletAccountId,
      soFar.account,
    );
    for await (const account of accounts) {
      await add("wallet-account", organizationId, account);
      keep();
    }
  }
  if (soFar.receipts === undefined) {
    let shown = soFar.activities;
    for await (const activity of activitiesOf(exporting, soFar)) {
      await add("activity", organizationId, asExported(activity));
      keep();
      shown += 1;
      if (shown % 100 === 0) show(count(shown, "activity", "activities"));
    }
  }
  await exportReceipts(exporting, soFar, show);
}

/**
 * All of them, newest first. A page may end before its limit if its activities are large, so only an empty one is the last.
 * Each has a receipt, except the newest ones, so a service that makes up older and older ones is asked for their receipts.
 */
async function* activitiesOf(exporting: Exporting, { organizationId, ...soFar }: SoFar) {
  const { lister, again } = exporting;
  const pages = createReceiptPages(exporting, organizationId);
  let before = soFar.activity;
  let listed = soFar.activities;
  for (;;) {
    const paginationOptions = { limit: "100", ...(before !== undefined && { before }) };
    const { activities } = await again(() =>
      lister.listActivities({ paginationOptions }, { organizationId }),
    );
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
function createReceiptPages(
  { client, again, quorumPublicKey }: Exporting,
  organizationId: string,
  soFar?: ReceiptsSoFar,
) {
  let { after, receipts, from } = soFar ?? { after: 0, receipts: 0, from: null };

  async function next() {
    const asked = { afterSegment: String(after), limit: "100" };
    const { receiptsFile, unsealed } = await again(() =>
      client.getReceipts(asked, { organizationId }),
    );
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
  { organizationId, receipts }: SoFar,
  show: (what: string) => void,
): Promise<void> {
  const pages = createReceiptPages(exporting, organizationId, receipts);
  const add = (receiptsFile: ReceiptsFile, unsealed: number) =>
    exporting.add("receipts", organizationId, { receiptsFile, unsealed });
  const wait = createWait();
  let left = receipts?.unsealed;
  let wanted: number | undefined;
  for (;;) {
    const { receiptsFile, unsealed, isEmpty } = await pages.next();
    if (!isEmpty) {
      await add(receiptsFile, unsealed);
      exporting.keep();
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
