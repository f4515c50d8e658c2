import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sealSegments } from "@keyhearth/api/jobs/seal-segments";
import { appOf, newKey, type TestKey } from "@keyhearth/api/testing";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { leafHash } from "@keyhearth/crypto/receipts/merkle";
import { nonceFor } from "@keyhearth/engine/oidc.testing";
import { codeOf, OTP_FEATURES } from "@keyhearth/engine/otps.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../../packages/cli/src/keyhearth.testing.ts";
import { type ExportLine, fileOf, linesOf } from "../cli/export-file.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import {
  type Attacked,
  apiKey,
  approve,
  bytesOf,
  newVictim,
  newWallet,
  perform,
  quorum,
  reject,
  resultOf,
  send,
  setFeature,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// The data of an organization as a file, which the host answers and hands on. It does not have the key that is pinned.

let server: Attacked;
let provider: OpenIdProvider;
let front: Front;
let victim: Victim;
let folder: string;
let honest: ExportLine[];

const ADA = "ada@example.com";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyhearth-exports-"));
  provider = await startOpenIdProvider();
  server = await startAttackedServer({ issuers: `private:${provider.issuer}` });
  front = await startFront();
  victim = await newVictim(server, { rootUsers: 2 });
  await logInBySocialLogin(await newChild());
  await logInByCode();
  const { address } = await newWallet(server, victim);
  await perform(server, victim, sign(address, "pay 1"));
  await perform(
    server,
    victim,
    quorum(
      2,
      victim.people.map(({ userId }) => userId),
    ),
  );
  for (const [userTagName, decide] of Object.entries({ approved: approve, rejected: reject })) {
    const waiting = await perform(server, victim, newTag(userTagName));
    const vote = decide(waiting.activity?.fingerprint ?? "");
    await perform(server, victim, vote, victim.people[1]?.key);
  }
  await perform(server, victim, newTag("waits"));
  await seal();

  const [root] = victim.people;
  const key = join(folder, "key.json");
  const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = root.key;
  const { organizationId } = victim;
  const content = { organizationId, userId: root.userId, apiPublicKey, apiPrivateKey };
  writeFileSync(key, JSON.stringify(content), { mode: 0o600 });
  const added = await run("profile", "add", "root", "--key", key, "--url", front.url);
  expect(added).toMatchObject({ status: 0, stderr: "" });
  honest = linesOf(await exported());
});

afterAll(async () => {
  front?.close();
  await server?.stop();
  await provider?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("an honest export with votes, and with logins by a code and by a social login, is valid", async () => {
  const report = await verify(honest);
  expect(report).toMatchObject({ status: 0, valid: true, verdict: "valid", problems: [] });
  expect(report).toMatchObject({ unproven: [], organizations: 2, attestedStamps: 2 });
  expect(report).toMatchObject({ activitiesWithoutReceipt: 0, activitiesNotShown: 0 });
  expect(report.lastSegments).toHaveLength(2);
  const votes = activitiesOf(honest).flatMap(({ data }) => data.votes);
  const schemes = new Set(votes.map(({ scheme }) => scheme));
  expect([...schemes].filter((scheme) => scheme.startsWith("STAMP_ATTESTED"))).toHaveLength(2);
  const selections = votes.map(({ selection }) => selection);
  expect(selections).toContain("VOTE_SELECTION_REJECTED");
  const waiting = activitiesOf(honest).filter(({ data }) => /CONSENSUS_NEEDED/.test(data.status));
  expect(waiting).toHaveLength(1);
});

test("an activity that was left out with its receipt is missed by the export and by the check", async () => {
  const isHidden = (entry: string) => entry.includes("SIGN_RAW_PAYLOAD");
  front.lie = (path, answer) => {
    if (path.endsWith("/list_activities")) {
      return { ...answer, activities: answer.activities.filter((each) => !isHidden(each.type)) };
    }
    if (!path.endsWith("/get_receipts")) return answer;
    return { ...answer, receiptsFile: withoutReceipts(answer.receiptsFile, isHidden) };
  };
  const refused = await run("organizations", "export", newFile(), "--profile", "root");
  expect(refused).toMatchObject({ status: 1 });
  expect(refused.stderr).toContain("1 receipt missing");
  front.lie = undefined;

  const without = honest.filter(({ kind, data }) => kind !== "activity" || !isHidden(data.type));
  const cut = changed(without, "receipts", (data) => {
    data.receiptsFile = withoutReceipts(data.receiptsFile, isHidden);
  });
  const missing = { status: 1, receiptsNotShown: 1, problems: [{ code: "RECEIPTS_NOT_SHOWN" }] };
  expect(await verify(cut)).toMatchObject(missing);
  // Also if the host says that many statements are not sealed yet.
  const excused = changed(cut, "receipts", (data) => {
    data.unsealed = 1000;
  });
  expect(await verify(excused)).toMatchObject(missing);
  // A bare hash may be that of an earlier version, whose later one is sealed soon. It is not called proven.
  const hashed = changed(without, "receipts", ({ receiptsFile: { receipts } }) => {
    for (const [index, { statement = "", ...place }] of receipts.entries()) {
      if (!isHidden(statement)) continue;
      receipts[index] = { leafHash: encodeHex(leafHash(encodeUtf8(statement))), ...place };
    }
  });
  expect(await verify(hashed)).toMatchObject(missing);
  const later = changed(hashed, "receipts", (data) => {
    data.unsealed = 1000;
  });
  const notProven = { status: 3, valid: false, verdict: "not proven", problems: [] };
  expect(await verify(later)).toMatchObject(notProven);
});

test("a result, a time, an intent or a vote that the service made up is found", async () => {
  const signature = "SIGN_RAW_PAYLOAD";
  const login = "STAMP_LOGIN";
  const tag = "CREATE_USER_TAG";
  const lies: [type: string, code: string, lie: (activity: ExportLine["data"]) => void][] = [
    [signature, "RESULT_CHANGED", ({ result }) => Object.assign(innerOf(result), { r: "11" })],
    [signature, "RESULT_CHANGED", (activity) => Object.assign(activity, { result: {} })],
    [signature, "RESULT_CHANGED", ({ result }) => Object.assign(result, { other: {} })],
    [login, "RESULT_CHANGED", ({ result }) => Object.assign(result, { other: { userId: "x" } })],
    [signature, "TIME_CHANGED", ({ updatedAt }) => Object.assign(updatedAt, { seconds: "1" })],
    [signature, "TIME_CHANGED", ({ createdAt }) => Object.assign(createdAt, { seconds: "1" })],
    [signature, "INTENT_NOT_PROVEN", (activity) => Object.assign(activity, { intent: {} })],
    [signature, "STAMP_INVALID", ({ votes }) => votes.push({ ...votes[0], signature: "00" })],
    [signature, "VOTE_REPEATED", ({ votes }) => votes.push({ ...votes[0], userId: "alice" })],
    [signature, "VOTE_CHANGED", ({ votes, ...a }) => votes.push(voteFor("f".repeat(64), a))],
    [signature, "STAMP_INVALID", ({ votes }) => Object.assign(votes[0], attested)],
    [login, "STAMP_INVALID", ({ votes }) => Object.assign(votes[0], { signature: "00" })],
    [tag, "VOTE_CHANGED", ({ votes }) => Object.assign(votes.at(-1), turned(votes.at(-1)))],
    [tag, "STAMP_INVALID", ({ votes }) => Object.assign(votes.at(-1), { signature: "00" })],
    [signature, "ACTIVITY_MALFORMED", (activity) => Object.assign(activity, { votes: [] })],
  ];
  for (const [type, code, lie] of lies) {
    const lines = structuredClone(honest);
    const activity = activitiesOf(lines).find(
      ({ data }) => data.type.includes(type) && /COMPLETED/.test(data.status),
    );
    lie(activity?.data);
    const { status, problems } = await verify(lines);
    expect([status, problems[0]?.code], `${code}: ${lie}`).toEqual([1, code]);
  }
});

test("a later vote by a key that the file does not know, or of another organization, is not called valid", async () => {
  const byOtherKey = (key = newKey(), organizationId = victim.organizationId) => {
    const lines = structuredClone(honest);
    const approved = activitiesOf(lines).find(
      ({ data }) => data.votes[1]?.selection === "VOTE_SELECTION_APPROVED",
    );
    const { id, fingerprint } = approved?.data ?? {};
    const message = bytesOf(server, organizationId, approve(fingerprint));
    const stamp = JSON.parse(Buffer.from(stampOf(key, message).value, "base64url").toString());
    Object.assign(approved?.data.votes[1], { ...stamp, message });
    return { id, lines };
  };
  const { id, lines } = byOtherKey();
  const message = `vote 2 on activity ${id} is by a key that this file does not know`;
  expect(await verify(lines)).toMatchObject({
    ...{ status: 3, valid: false, verdict: "not proven", problems: [], votesByUnknownKeys: 1 },
    unproven: [{ code: "VOTE_KEY_UNKNOWN", message }],
  });
  const file = newFile();
  writeFileSync(file, fileOf(lines));
  const { stdout } = await run("organizations", "verify", file, "--profile", "root");
  expect(stdout).toContain("1 vote by keys that this file does not know");
  expect(stdout).not.toContain("export again");

  const [root, second] = victim.people;
  if (!second) throw new Error("one person");
  const own = { status: 0, verdict: "valid", votesByUnknownKeys: 0 };
  expect(await verify(byOtherKey(root.key).lines)).toMatchObject(own);
  const ofOther = byOtherKey(second.key, crypto.randomUUID());
  expect(await verify(ofOther.lines)).toMatchObject({
    status: 1,
    problems: [
      {
        code: "OTHER_ORGANIZATION",
        message: `vote 2 on activity ${ofOther.id} is of another organization`,
      },
    ],
  });
  // The voter's key is in the request that made the user, which has a receipt, also after the user is gone.
  const isSecond = ({ kind, data }: ExportLine) => kind === "user" && data.userId === second.userId;
  const without = honest.filter((line) => !isSecond(line));
  expect(without).toHaveLength(honest.length - 1);
  expect(await verify(without)).toMatchObject(own);
  // A request that ended otherwise has registered nothing.
  const undone = without.map((line) =>
    line.kind === "activity" && /CREATE_(USERS|API_KEYS)/.test(line.data.type)
      ? { ...line, data: { ...line.data, status: "ACTIVITY_STATUS_REJECTED" } }
      : line,
  );
  const { status, votesByUnknownKeys } = await verify(undone);
  expect([status, votesByUnknownKeys]).toEqual([1, 2]);
});

test("an organization without receipts is not valid, whatever key is pinned", async () => {
  const organizationId = crypto.randomUUID();
  const data = { version: "keyhearth.organization.v1", withSubOrganizations: false };
  const receiptsFile = { version: "keyhearth.receipts.v1", organizationId };
  const lines = [
    { kind: "export", organizationId, data },
    { kind: "organization", organizationId, data: { organizationId } },
    {
      ...{ kind: "receipts", organizationId },
      data: { receiptsFile: { ...receiptsFile, segments: [], receipts: [] }, unsealed: 0 },
    },
  ];
  const withoutReceipts = { problems: [{ code: "ORGANIZATION_WITHOUT_RECEIPTS" }] };
  expect(await verify(lines)).toMatchObject({ status: 1, valid: false, ...withoutReceipts });
  const none = { status: 1, problems: [{ code: "ORGANIZATION_MISSING" }] };
  expect(await verify(lines.slice(0, 1))).toMatchObject(none);
});

test("activities that have no receipt are named and not called valid, however many are said to be unsealed", async () => {
  const at = honest.findIndex(({ kind }) => kind === "activity");
  const madeUp = structuredClone(honest[at]) as ExportLine;
  const id = madeUp.data.id.replace(/.$/, (digit: string) => (digit === "0" ? "1" : "0"));
  madeUp.data.id = id;
  for (const vote of madeUp.data.votes) vote.activityId = id;
  const more = changed(honest.toSpliced(at, 0, madeUp), "receipts", (data) => {
    data.unsealed = 1000;
  });
  const code = "ACTIVITY_WITHOUT_RECEIPT";
  expect(await verify(more)).toMatchObject({
    ...{ status: 3, valid: false, verdict: "not proven", activitiesWithoutReceipt: 1 },
    unproven: [{ code, message: `activity ${id} has no receipt yet` }],
  });
  // What ended may have waited when it was listed. Its receipt does not say so.
  const reopened = structuredClone(honest);
  const [done] = activitiesOf(reopened).filter(({ data }) => /COMPLETED/.test(data.status));
  Object.assign(done?.data, { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {} });
  const since = { unproven: [{ code: "ACTIVITY_CHANGED_SINCE" }] };
  expect(await verify(reopened)).toMatchObject({ status: 3, verdict: "not proven", ...since });
  // Receipts that come first would be compared with no activity.
  const isReceipts = ({ kind }: ExportLine) => kind === "receipts";
  const [first, ...others] = more;
  const moved = [...others.filter(isReceipts), ...others.filter((line) => !isReceipts(line))];
  const { status, problems } = await verify(first ? [first, ...moved] : []);
  expect([status, problems[0]?.code]).toEqual([1, "LINES_REORDERED"]);
});

test("an export from a service that makes up older and older history ends soon, and leaves nothing", async () => {
  let pages = 0;
  let next = 0xff_ff_ff_ff;
  const ids = () => `${(next--).toString(16).padStart(8, "0")}-0000-7000-8000-000000000000`;
  front.lie = (path, answer) => {
    if (!path.endsWith("/list_activities")) return answer;
    pages += 1;
    const [one] = activitiesOf(honest);
    const { organizationId } = victim;
    const page = Array.from({ length: 100 }, () => ({ ...one?.data, id: ids(), organizationId }));
    return { ...answer, activities: page };
  };
  const before = readdirSync(folder);
  const refused = await run("organizations", "export", newFile(), "--profile", "root");
  front.lie = undefined;
  expect(refused).toMatchObject({ status: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /lists 200 activities of organization \S+, but it has only \d+ receipts/,
  );
  expect(pages).toBe(2);
  expect(readdirSync(folder)).toEqual(before);
});

type Answer = {
  activities: { type: string }[];
  receiptsFile: { receipts: { statement?: string }[] };
};
type Front = {
  url: string;
  /** What the host answers instead of the service's own answer. */
  lie: ((path: string, answer: Answer) => object) | undefined;
  close: () => void;
};

/** The host: everything goes through it. */
async function startFront(): Promise<Front> {
  const described = server.signer.handle({ call: "describe" });
  if (described.kind !== "description") throw new Error(`unexpected answer: ${described.kind}`);
  const { kind: _, ...keys } = described;
  const rootOrganizationId = crypto.randomUUID();
  const wellKnown = async () => ({ version: "0.2.0", rootOrganizationId, ...keys });
  const app = appOf(server.host, { wellKnown });
  const http: Server = createServer(async (request, response) => {
    const { url = "", method = "GET", headers } = request;
    const body = await text(request);
    const answer = await app.fetch(
      new Request(`http://localhost${url}`, {
        ...{ method, headers: headers as Record<string, string> },
        ...(method === "POST" && { body }),
      }),
    );
    const own = JSON.parse(await answer.text());
    const shown = self.lie?.(url, own) ?? own;
    const status = shown === own ? answer.status : 200;
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(shown));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const self: Front = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    lie: undefined,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
  return self;
}

function run(...args: string[]) {
  return runHere(args, { XDG_CONFIG_HOME: folder });
}

let files = 0;
const newFile = () => join(folder, `export-${++files}.jsonl`);

async function exported(): Promise<string> {
  const file = newFile();
  const ended = await run(
    ...["organizations", "export", file, "--sub-organizations", "--profile", "root"],
  );
  expect(ended).toMatchObject({ status: 0, stderr: "" });
  return file;
}

async function verify(lines: readonly ExportLine[]) {
  const file = newFile();
  writeFileSync(file, fileOf(lines));
  const ended = await run("organizations", "verify", file, "--profile", "root", "--json");
  rmSync(file);
  return { status: ended.status, ...JSON.parse(ended.stdout) };
}

const activitiesOf = (lines: readonly ExportLine[]) =>
  lines.filter(({ kind }) => kind === "activity");

/** The lines with each of a kind changed. */
function changed(
  lines: readonly ExportLine[],
  kind: string,
  change: (data: ExportLine["data"]) => void,
) {
  const copy = structuredClone([...lines]);
  for (const line of copy) if (line.kind === kind) change(line.data);
  return copy;
}

function withoutReceipts<File extends Answer["receiptsFile"]>(
  file: File,
  isHidden: (statement: string) => boolean,
): File {
  return { ...file, receipts: file.receipts.filter(({ statement = "" }) => !isHidden(statement)) };
}

function innerOf(result: object): object {
  return Object.values(result)[0];
}

const attested = { scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC" };

/** The other decision, which the voter has not stamped. */
function turned({ selection }: { selection: string }) {
  const isApproved = selection === "VOTE_SELECTION_APPROVED";
  return { selection: isApproved ? "VOTE_SELECTION_REJECTED" : "VOTE_SELECTION_APPROVED" };
}

/** A true stamp of somebody's vote on another activity. */
function voteFor(digest: string, { id }: { id: string }) {
  const key = newKey();
  const message = bytesOf(server, victim.organizationId, approve(`sha256:${digest}`));
  const stamp = JSON.parse(Buffer.from(stampOf(key, message).value, "base64url").toString());
  return { ...stamp, activityId: id, message, selection: "VOTE_SELECTION_APPROVED" };
}

function newTag(userTagName: string) {
  return {
    endpoint: "create_user_tag",
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName, userIds: [] },
  };
}

async function seal() {
  for (let times = 0; times < 3; times++) await sealSegments(server.host);
}

/** A sub-organization whose user has a social login. */
async function newChild(): Promise<string> {
  const oidcToken = await provider.logIn("ada", { nonce: "sign up" });
  const oauthProviders = [{ providerName: "test", oidcToken }];
  const reply = await perform(server, victim, {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: "ada",
      rootUsers: [
        { userName: "Ada", apiKeys: [apiKey(newKey())], authenticators: [], oauthProviders },
      ],
      rootQuorumThreshold: 1,
    },
  });
  return String(resultOf(reply, "createSubOrganizationResultV7").subOrganizationId);
}

async function logInBySocialLogin(organizationId: string) {
  const key = newKey();
  const token = await provider.logIn("ada", { nonce: nonceFor(key.publicKey) });
  await logIn(organizationId, { key, token, scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC" });
}

async function logInByCode() {
  const { organizationId, people } = victim;
  for (const name of OTP_FEATURES) await perform(server, victim, setFeature(name));
  await perform(server, victim, {
    endpoint: "update_user_email",
    type: "ACTIVITY_TYPE_UPDATE_USER_EMAIL",
    parameters: {
      ...{ userId: people[0].userId, userEmail: ADA },
      verificationToken: await tokenFor(people[0].key),
    },
  });
  const key = newKey();
  const scheme = "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN";
  await logIn(organizationId, { key, token: await tokenFor(key), scheme });
}

/** A token that proves the address, for a key. */
async function tokenFor({ publicKey }: TestKey): Promise<string> {
  server.clock.offsetMs += 200_000;
  const sent = await perform(server, victim, {
    endpoint: "init_otp",
    type: "ACTIVITY_TYPE_INIT_OTP_V3",
    parameters: { otpType: "OTP_TYPE_EMAIL", contact: ADA, appName: "Example" },
  });
  const otpId = String(resultOf(sent, "initOtpResultV2").otpId);
  const otpCode = await codeOf(server, victim.organizationId, otpId);
  const reply = await perform(server, victim, {
    endpoint: "verify_otp",
    type: "ACTIVITY_TYPE_VERIFY_OTP",
    parameters: { otpId, otpCode, publicKey },
  });
  return String(resultOf(reply, "verifyOtpResult").verificationToken);
}

async function logIn(
  organizationId: string,
  { key, token, scheme }: { key: TestKey; token: string; scheme: string },
) {
  const what = { type: "ACTIVITY_TYPE_STAMP_LOGIN", parameters: { publicKey: key.publicKey } };
  const body = bytesOf(server, organizationId, what);
  const { publicKey, signature } = JSON.parse(
    Buffer.from(stampOf(key, body).value, "base64url").toString(),
  );
  const value = JSON.stringify({ publicKeyAttestation: token, scheme, publicKey, signature });
  const reply = await send(server, "stamp_login", body, { name: "X-Stamp-Attested", value });
  expect(reply).toMatchObject({ status: 200, reason: undefined });
}
