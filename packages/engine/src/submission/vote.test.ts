import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { beforeEach, expect, test } from "vitest";
import {
  createTestCore,
  documentWith,
  newPerson,
  proposed,
  type TestCore,
  type TestPerson,
  userOf,
} from "../core/core.testing.ts";
import type { Answer } from "../core/protocol.ts";
import type { ActivityRecord } from "../records/activity.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import { notarize } from "../records/notarize.ts";
import type { OrganizationDocument, Policy } from "../records/organization.ts";
import { readRecord } from "../records/record.ts";

// Three root users, of whom two must agree, and a clerk without any right.

const day = 24 * 60 * 60 * 1000;
const hour = 60 * 60 * 1000;
const APPROVED = "VOTE_SELECTION_APPROVED";

let core: TestCore;
let ada: TestPerson;
let grace: TestPerson;
let alan: TestPerson;
let clerk: TestPerson;
let document: OrganizationDocument;

beforeEach(() => {
  core = createTestCore();
  [ada, grace, alan, clerk] = [newPerson(), newPerson(), newPerson(), newPerson()];
  document = documentWith({
    users: [ada, grace, alan, clerk].map((each) => userOf(each)),
    rootQuorum: { threshold: 2, userIds: [ada, grace, alan].map(({ userId }) => userId) },
  });
});

const newTag = (userTagName = "ops") => ({
  endpoint: "create_user_tag",
  body: core.bodyOf({
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName, userIds: [] },
  }),
});

type Ask = ReturnType<typeof newTag>;

function voteOn(ask: Ask, selection: "approve" | "reject", timestampMs?: number) {
  const type = `ACTIVITY_TYPE_${selection.toUpperCase()}_ACTIVITY`;
  const parameters = { fingerprint: fingerprint(encodeUtf8(ask.body)) };
  const body = core.bodyOf({ type, parameters, ...(timestampMs && { timestampMs }) });
  return { endpoint: `${selection}_activity`, body };
}

/** Brings the document as it is now, and the activity if there is one. */
function ask(by: TestPerson, request: Ask, activity?: Uint8Array) {
  return core.ask(by, request, [core.notarized(document), ...(activity ? [activity] : [])]);
}

/** Starts an activity that waits, and commits that. */
function started(by: TestPerson, request: Ask, records: Uint8Array[] = []) {
  const answer = core.ask(by, request, [core.notarized(document), ...records]);
  const { activity, record, document: next } = proposed(answer);
  expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  if (!next) throw new Error("the document lists what waits");
  document = next;
  return record;
}

/** Commits a vote that is not the last one. Returns what it makes of the activity. */
function committed(answer: Answer) {
  const done = proposed(answer);
  if (!done.document) throw new Error("the document lists what waits");
  document = done.document;
  return done;
}

const fingerprintOf = ({ body }: Ask) => fingerprint(encodeUtf8(body));

const refusal = (reason: string, message?: string | RegExp, more: object = {}) => ({
  kind: "error",
  error: expect.objectContaining({
    reason,
    ...more,
    ...(message && {
      message: typeof message === "string" ? message : expect.stringMatching(message),
    }),
  }),
});

function policy(change: Partial<Policy>): Policy {
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  const clauses = { condition: null, consensus: null, time: null };
  const names = { policyId: "p", policyName: "p", notes: "" };
  return { ...names, effect: "EFFECT_ALLOW", ...clauses, ...times, ...change };
}

test("the second of two approvals executes, and the document remembers it", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  core.clock.nowMs += hour / 2;
  const {
    activity,
    document: next,
    proposal,
  } = proposed(ask(grace, voteOn(asked, "approve"), waiting));
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(activity.votes.map(({ userId, selection }) => [userId, selection])).toEqual([
    [ada.userId, APPROVED],
    [grace.userId, APPROVED],
  ]);
  expect(activity.updatedAtMs).toBe(core.clock.nowMs);
  expect(activity.windowStartedAtMs).toBe(core.clock.nowMs - hour / 2);
  expect(activity.documentVersion).toBe(proposal.documentVersion);
  expect(activity.documentDigest).toBe(proposal.documentDigest);
  expect(proposal.activity).toMatchObject({ version: 2, status: "ACTIVITY_STATUS_COMPLETED" });
  expect(proposal.ticket).not.toBeNull();
  expect(next?.userTags.map(({ tagName }) => tagName)).toEqual(["ops"]);
  expect(document.waiting).toEqual([
    { fingerprint: activity.fingerprint, state: expect.any(String), userId: ada.userId },
  ]);
  expect(next?.waiting).toEqual([]);
  expect(next?.closed.map((each) => each.fingerprint)).toEqual([activity.fingerprint]);
  expect(core.events).toContainEqual({
    event: "consensus reached",
    activityId: activity.activityId,
  });
});

test("an app proof names the bytes that each approval stamped", () => {
  const proven = (request: Ask) => ({
    ...request,
    body: JSON.stringify({ ...JSON.parse(request.body), generateAppProofs: true }),
  });
  const digestOf = ({ body }: Ask) => encodeHex(sha256(encodeUtf8(body)));
  const [first, second] = [proven(newTag("first")), proven(newTag("second"))];
  for (const [asked, approval] of [
    [first, first],
    [second, proven(voteOn(second, "approve"))],
  ] as const) {
    const { activity } = proposed(ask(grace, approval, started(ada, asked)));
    const { policyOutcomeProof } = JSON.parse(activity.appProofs[0]?.proofPayload ?? "");
    expect(policyOutcomeProof.userRequestApprovals).toEqual([
      { userId: ada.userId, selection: APPROVED, requestDigest: digestOf(asked) },
      { userId: grace.userId, selection: APPROVED, requestDigest: digestOf(approval) },
    ]);
  }
});

test("an approval that is not the last one counts once the document lists it", () => {
  document.rootQuorum.threshold = 3;
  const asked = newTag();
  const waiting = started(ada, asked);
  const answer = proposed(ask(grace, voteOn(asked, "approve"), waiting));
  expect(answer.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect(answer.activity.votes).toHaveLength(2);
  expect(answer.proposal).toMatchObject({ ticket: expect.any(String), activity: { version: 2 } });
  const [before] = document.waiting;
  expect(answer.document).toMatchObject({
    waiting: [{ ...before, state: expect.not.stringContaining(before?.state ?? "") }],
    closed: [],
  });
  // Until that is committed, the earlier record counts, and afterwards only this one.
  const last = voteOn(asked, "approve");
  expect(ask(alan, last, answer.record)).toMatchObject(refusal("STALE_RECORD"));
  expect(proposed(ask(alan, last, waiting)).activity.votes).toHaveLength(2);
  if (answer.document) document = answer.document;
  expect(ask(alan, last, waiting)).toMatchObject(refusal("STALE_RECORD"));
  expect(proposed(ask(alan, last, answer.record)).activity.votes).toHaveLength(3);
  // Bytes that were sent before are a poll, whoever voted since and however late.
  core.clock.nowMs += day;
  expect(ask(ada, asked, answer.record)).toEqual({ kind: "unchanged" });
});

test("the same bytes count as an approval of another user, and as nothing of the same key", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  expect(ask(ada, asked, waiting)).toEqual({ kind: "unchanged" });
  core.clock.nowMs += 2 * hour;
  // The stamp shows no time of its own, so these bytes may be older than a request may be.
  expect(proposed(ask(grace, asked, waiting)).activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  core.clock.nowMs += day - 2 * hour - 1;
  expect(ask(ada, asked, waiting)).toEqual({ kind: "unchanged" });
  expect(proposed(ask(grace, asked, waiting)).activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  core.clock.nowMs += 1;
  expect(ask(ada, asked, waiting)).toEqual({ kind: "unchanged" });
  expect(ask(grace, asked, waiting)).toMatchObject(
    refusal("TIMESTAMP_OUT_OF_RANGE", /^the activity was stamped more than 24 hours ago: use/, {
      field: "timestampMs",
    }),
  );
});

test("a vote by its own request must be of the last hour", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  const [then, now] = [core.clock.nowMs, core.clock.nowMs + hour];
  core.clock.nowMs = now;
  for (const selection of ["approve", "reject"] as const) {
    expect(ask(grace, voteOn(asked, selection, then), waiting)).toMatchObject(
      refusal("TIMESTAMP_OUT_OF_RANGE"),
    );
    expect(ask(grace, voteOn(asked, selection, now), waiting)).toMatchObject({ kind: "proposal" });
  }
});

test("after a day without the last approval, all approvals must be given again", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  core.clock.nowMs += day;
  const { activity, record } = committed(ask(grace, voteOn(asked, "approve"), waiting));
  expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect(activity.windowStartedAtMs).toBe(core.clock.nowMs);
  expect(activity.votes).toHaveLength(2);
  core.clock.nowMs += 1;
  const done = proposed(ask(ada, voteOn(asked, "approve"), record));
  expect(done.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(done.activity.windowStartedAtMs).toBe(core.clock.nowMs - 1);
});

test("a second approval of a user is not counted, but executes if fewer are needed by now", () => {
  const other = newPerson(ada.userId);
  document.users[0] = userOf(ada, other);
  const asked = newTag();
  const waiting = started(ada, asked);
  expect(ask(other, voteOn(asked, "approve"), waiting)).toEqual({ kind: "unchanged" });
  document.rootQuorum.threshold = 1;
  core.clock.nowMs += 5;
  const { activity, document: next } = proposed(ask(other, voteOn(asked, "approve"), waiting));
  expect(activity).toMatchObject({
    status: "ACTIVITY_STATUS_COMPLETED",
    updatedAtMs: core.clock.nowMs,
  });
  expect(activity.votes).toHaveLength(1);
  expect(next?.userTags).toHaveLength(1);
});

test("a user who has no say neither approves nor rejects", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  for (const request of [voteOn(asked, "approve"), voteOn(asked, "reject"), asked]) {
    expect(ask(clerk, request, waiting)).toMatchObject(
      refusal(
        "REQUEST_NOT_AUTHORIZED",
        "request not authorized: this user is not among those whose vote counts for the activity",
      ),
    );
  }
});

test("whose approval may count cannot therefore reject", () => {
  // By the order of approvals, nobody can tell quickly that the clerk's will never count.
  const consensus = `approvers[0].id == '${ada.userId}' && approvers.any(u, u.id == '${grace.userId}')`;
  document.policies = [policy({ consensus })];
  document.rootQuorum = { threshold: 1, userIds: [alan.userId] };
  const asked = newTag();
  const waiting = started(ada, asked);
  expect(ask(clerk, voteOn(asked, "reject"), waiting)).toMatchObject(
    refusal("REQUEST_NOT_AUTHORIZED", undefined, { code: "PERMISSION_DENIED" }),
  );
  expect(ask(clerk, voteOn(asked, "approve"), waiting)).toMatchObject({ kind: "proposal" });
  for (const by of [ada, grace, alan]) {
    expect(ask(by, voteOn(asked, "reject"), waiting)).toMatchObject({ kind: "proposal" });
  }
});

test("the activity is judged as that of the user who started it", () => {
  const parameters = {
    userId: clerk.userId,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: newPerson().publicKey,
        curveType: "API_KEY_CURVE_P256",
      },
    ],
  };
  const type = "ACTIVITY_TYPE_CREATE_API_KEYS_V2";
  const asked = { endpoint: "create_api_keys", body: core.bodyOf({ type, parameters }) };
  document.policies = [policy({ consensus: "approvers.count() >= 3" })];
  const waiting = started(clerk, asked);
  // Without the policy, users may change their own keys alone.
  document.policies = [];
  const { activity } = proposed(ask(ada, voteOn(asked, "approve"), waiting));
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("a login that was approved counts with the document that says so alone", () => {
  document.policies = [policy({ consensus: "approvers.count() >= 2" })];
  const parameters = { publicKey: newPerson().publicKey };
  const body = core.bodyOf({ type: "ACTIVITY_TYPE_STAMP_LOGIN", parameters });
  const asked = { endpoint: "stamp_login", body };
  const waiting = started(clerk, asked);
  const { activity, document: next } = proposed(ask(ada, voteOn(asked, "approve"), waiting));
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const begun = next?.users.map(({ userId, keyEpochs }) => [userId, keyEpochs.length]);
  expect(begun).toEqual(
    [ada, grace, alan, clerk].map((each) => [each.userId, each === clerk ? 1 : 0]),
  );
});

test("what a parent may ask for is not decided without the parent's document", () => {
  const parentOrganizationId = "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70";
  const features = [{ name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: null }];
  const parent = documentWith({
    organizationId: parentOrganizationId,
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
    features,
  });
  document = { ...document, parentOrganizationId, features };
  const parameters = { otpType: "OTP_TYPE_EMAIL", contact: "ada@example.com", appName: "Example" };
  const body = core.bodyOf({ type: "ACTIVITY_TYPE_INIT_OTP_V3", parameters });
  const asked = { endpoint: "init_otp", body };
  const family = [core.notarized(document), core.notarized(parent)];
  const record = started(ada, asked, family.slice(1));
  family[0] = core.notarized(document);
  for (const selection of ["approve", "reject"] as const) {
    const decided = voteOn(asked, selection);
    expect(ask(grace, decided, record)).toMatchObject(
      refusal("RECORD_REFUSED", "this kind of request needs the parent's document too"),
    );
    expect(core.ask(grace, decided, [...family, record])).toMatchObject({ kind: "proposal" });
  }
});

test("an approved activity has the same ids as one that needs no approval", () => {
  const [asked, other] = [newTag(), newTag("other")];
  const before = structuredClone(document);
  const approved = (each: Ask) =>
    proposed(ask(grace, voteOn(each, "approve"), started(ada, each))).activity.result;
  const [result, otherResult] = [approved(asked), approved(other)];
  document = { ...before, rootQuorum: { ...before.rootQuorum, threshold: 1 } };
  expect(proposed(ask(ada, asked)).activity.result).toEqual(result);
  expect(proposed(ask(ada, other)).activity.result).toEqual(otherResult);
  expect(result?.userTagId).not.toBe(otherResult?.userTagId);
});

test("a signature that was approved leaves the list, and its bytes may sign again", () => {
  document.rootQuorum.threshold = 1;
  const made = proposed(
    ask(ada, {
      endpoint: "create_private_keys",
      body: core.bodyOf({
        type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
        parameters: {
          privateKeys: [
            {
              privateKeyName: "key",
              curve: "CURVE_SECP256K1",
              privateKeyTags: [],
              addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
            },
          ],
        },
      }),
    }),
  );
  if (!made.document) throw new Error("a key is listed in the document");
  document = made.document;
  document.rootQuorum.threshold = 2;
  const [line] = document.privateKeys;
  const key = made.proposal.attachments.find(
    (bytes) => readRecord(bytes).header.type === "private-key",
  );
  const asked = {
    endpoint: "sign_raw_payload",
    body: core.bodyOf({
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      parameters: {
        signWith: line?.privateKeyId,
        payload: "00".repeat(32),
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      },
    }),
  };
  const keys = key ? [key] : [];
  const waiting = started(ada, asked, keys);
  const brought = [core.notarized(document), ...keys, waiting];
  const answer = core.ask(grace, voteOn(asked, "approve"), brought);
  const { activity, document: next } = proposed(answer);
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(next).toMatchObject({ waiting: [], closed: document.closed });
  // The key is a record that the vote's target asked for.
  expect(
    core.ask(grace, voteOn(asked, "approve"), [core.notarized(document), waiting]),
  ).toMatchObject({ kind: "error" });
});

test("an activity from before documents listed what waits has lapsed", () => {
  const asked = newTag();
  const { header, body } = readRecord(started(ada, asked));
  const older = notarize(frozenKeyring, { ...header, schema: 6 }, body);
  for (const request of [voteOn(asked, "approve"), voteOn(asked, "reject"), asked]) {
    expect(ask(grace, request, older)).toMatchObject(
      refusal(
        "ACTIVITY_NOT_PENDING",
        "the activity lapsed, because it began to wait before the service was upgraded; send the request again",
        { code: "INVALID_ARGUMENT", field: "parameters.fingerprint" },
      ),
    );
  }
});

test("a proposal that the document does not list takes no votes, whoever made it", () => {
  const asked = newTag();
  const before = structuredClone(document);
  const phantom = started(ada, asked);
  document = structuredClone(before);
  core.clock.nowMs += 1;
  const others = started(grace, asked);
  document = structuredClone(before);
  const listed = started(ada, asked);
  for (const request of [voteOn(asked, "approve"), voteOn(asked, "reject"), asked]) {
    for (const record of [phantom, others]) {
      expect(ask(alan, request, record)).toMatchObject(
        refusal(
          "STALE_RECORD",
          "the host brought an activity in another state than the document lists",
        ),
      );
    }
    expect(ask(alan, request, listed)).toMatchObject({ kind: "proposal" });
  }
  document = before;
  expect(ask(alan, asked, listed)).toMatchObject(
    refusal(
      "STALE_RECORD",
      "the host brought an activity as waiting that the document does not list",
      { code: "UNAVAILABLE" },
    ),
  );
});

test("the bytes of an activity that waits start nothing without its record", () => {
  const asked = newTag();
  started(ada, asked);
  document.rootQuorum.threshold = 1;
  for (const by of [ada, grace, clerk]) expect(ask(by, asked)).toEqual({ kind: "waits" });
  core.clock.nowMs += day;
  expect(ask(ada, asked)).toEqual({ kind: "waits" });
});

test("the same bytes of another user are no vote if they mean something else from that user", () => {
  document.policies = [policy({ consensus: "approvers.count() >= 2" })];
  const requests = [
    {
      endpoint: "stamp_login",
      body: core.bodyOf({
        type: "ACTIVITY_TYPE_STAMP_LOGIN",
        parameters: { publicKey: newPerson().publicKey },
      }),
    },
    {
      endpoint: "init_import_wallet",
      body: core.bodyOf({
        type: "ACTIVITY_TYPE_INIT_IMPORT_WALLET",
        parameters: { userId: clerk.userId },
      }),
    },
    {
      endpoint: "log_out_everywhere",
      body: core.bodyOf({
        type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
        parameters: { userId: clerk.userId },
      }),
    },
  ];
  for (const asked of requests) {
    const waiting = started(clerk, asked);
    const differs = refusal(
      "REQUEST_NOT_AUTHORIZED",
      "request not authorized: another user has sent the same bytes, and what they do depends on their sender: to approve that request, use approve_activity; to make your own, send another `timestampMs`",
      { code: "PERMISSION_DENIED", field: "timestampMs" },
    );
    expect(ask(ada, asked, waiting)).toMatchObject(differs);
    const done = proposed(ask(ada, voteOn(asked, "approve"), waiting));
    expect(done.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(ask(ada, asked, done.record)).toMatchObject(differs);
    expect(ask(clerk, asked, done.record)).toEqual({ kind: "unchanged" });
  }
});

/** The same JSON with spaces before its end: other bytes of a given length. */
function padded({ endpoint, body }: Ask, length: number): Ask {
  return { endpoint, body: `${body.slice(0, -1)}${" ".repeat(length - body.length)}}` };
}

test("bytes that several users stamp are stored once, and may be longer than a vote", () => {
  document.rootQuorum.threshold = 3;
  const asked = padded(newTag(), 64 * 1024);
  const one = started(ada, asked);
  const { activity, record } = committed(ask(grace, asked, one));
  expect(activity.votes.map(({ userId, message }) => [userId, message])).toEqual([
    [ada.userId, asked.body],
    [grace.userId, null],
  ]);
  const approval = voteOn(asked, "approve");
  const last = proposed(ask(alan, approval, record));
  expect(last.activity.votes[2]).toMatchObject({ userId: alan.userId, message: approval.body });
  expect(last.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");

  const longer = padded(newTag("sales"), 64 * 1024 + 1);
  expect(ask(grace, longer, started(ada, longer))).toMatchObject(
    refusal("BODY_TOO_LARGE", /^a vote may have 65536 bytes, but this one has 65537: use/),
  );
});

test("an approval that no longer counts is replaced by a later one of the user", () => {
  document.rootQuorum.threshold = 3;
  const asked = newTag();
  const first = started(ada, asked);
  core.clock.nowMs += 5;
  const earlier = voteOn(asked, "approve");
  const both = committed(ask(grace, earlier, first)).record;

  // Her other key is not the one that she voted with, so her first approval no longer counts.
  const other = newPerson(grace.userId);
  document.users[1] = userOf(other);
  const notLater = refusal(
    "TIMESTAMP_OUT_OF_RANGE",
    "this user has voted on the activity before: to vote again, use approve_activity with a later timestamp",
    { field: "timestampMs" },
  );
  for (const again of [earlier, voteOn(asked, "approve", core.clock.nowMs - 1), asked]) {
    expect(ask(other, again, both)).toMatchObject(notLater);
  }
  const later = voteOn(asked, "approve", core.clock.nowMs + 1);
  const replaced = committed(ask(other, later, both));
  expect(replaced.activity.votes.map(({ userId, message }) => [userId, message])).toEqual([
    [ada.userId, asked.body],
    [grace.userId, later.body],
  ]);
  // Of others, no later timestamp is asked: neither of a user who votes first, nor of a rejection.
  expect(ask(alan, earlier, replaced.record)).toMatchObject({ kind: "proposal" });
  const rejected = proposed(ask(other, voteOn(asked, "reject"), replaced.record));
  expect(rejected.activity.votes.map(({ userId, selection }) => [userId, selection])).toEqual([
    [ada.userId, APPROVED],
    [grace.userId, APPROVED],
    [grace.userId, "VOTE_SELECTION_REJECTED"],
  ]);
});

test("the user who started an activity is charged with its end", () => {
  for (const selection of ["approve", "reject"] as const) {
    const asked = newTag(selection);
    const waiting = started(ada, asked);
    core.clock.nowMs += 9;
    const { activity, document: next } = proposed(ask(grace, voteOn(asked, selection), waiting));
    expect(activity.sealedResult).toBeNull();
    expect(next?.closed).toEqual([
      {
        fingerprint: activity.fingerprint,
        untilMs: core.clock.nowMs + hour,
        userId: ada.userId,
        isOwn: false,
      },
    ]);
  }
});

test("an approval long after the start closes no bytes that are too old to run again", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  core.clock.nowMs += 2 * hour;
  const { document: next } = proposed(ask(grace, voteOn(asked, "approve"), waiting));
  expect(next).toMatchObject({ closed: [], waiting: [] });
});

test("a vote that is too long is refused, and the refusal says what is accepted", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  const vote = voteOn(asked, "approve");
  const ofLength = (length: number) => {
    const padded = JSON.stringify({ ...JSON.parse(vote.body), padding: "" });
    const padding = "x".repeat(length - padded.length);
    return { ...vote, body: JSON.stringify({ ...JSON.parse(vote.body), padding }) };
  };
  const refused = ask(grace, ofLength(100_000), waiting);
  const message = /^a vote may have (\d+) \w+, but this one has (\d+): use approve_activity/;
  expect(refused).toMatchObject(refusal("BODY_TOO_LARGE", message, { code: "PAYLOAD_TOO_LARGE" }));
  const text = refused.kind === "error" ? refused.error.message : "";
  const [, most = "", given = ""] = message.exec(text) ?? [];
  expect(most).toBe("4096");
  // If the stamp counts too, its length varies by a few bytes.
  const beside = Number(given) - 100_000;
  const slack = beside === 0 ? 0 : 16;
  const limit = Number(most) - beside;
  expect(ask(grace, ofLength(limit + 1 + slack), waiting)).toMatchObject(refusal("BODY_TOO_LARGE"));
  expect(ask(grace, ofLength(limit - slack), waiting)).toMatchObject({ kind: "proposal" });
});

test("a rejection ends the activity, and the document remembers it", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  core.clock.nowMs += 7;
  for (const by of [ada, grace]) {
    const answer = proposed(ask(by, voteOn(asked, "reject"), waiting));
    const { activity, document: next } = answer;
    expect(activity).toMatchObject({
      status: "ACTIVITY_STATUS_REJECTED",
      result: null,
      updatedAtMs: core.clock.nowMs,
    });
    expect(activity.votes[1]).toMatchObject({
      userId: by.userId,
      selection: "VOTE_SELECTION_REJECTED",
    });
    expect(answer.proposal.activity.version).toBe(2);
    expect(answer.proposal).not.toHaveProperty("messages");
    expect(next?.userTags).toEqual([]);
    expect(next?.waiting).toEqual([]);
    expect(next?.closed.map((each) => each.fingerprint)).toEqual([activity.fingerprint]);
  }
});

test("an approval that fails ends the activity too, because it could succeed at another time", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  document.userTags.push({ tagId: "t", tagName: "ops", ...times });
  const answer = proposed(ask(grace, voteOn(asked, "approve"), waiting));
  expect(answer.activity).toMatchObject({ status: "ACTIVITY_STATUS_FAILED", result: null });
  expect(answer.activity.failure?.message).toContain("already exists");
  expect(answer.activity.votes).toHaveLength(2);
  expect(answer.document?.waiting).toEqual([]);
  expect(answer.document?.closed.map((each) => each.fingerprint)).toEqual([fingerprintOf(asked)]);
  expect(answer.document?.userTags).toHaveLength(1);
});

test("a vote after the end asks for the outcome, or contradicts it", () => {
  const [asked, other] = [newTag(), newTag("other")];
  const done = proposed(ask(grace, voteOn(asked, "approve"), started(ada, asked))).record;
  expect(ask(alan, voteOn(asked, "approve"), done)).toEqual({ kind: "unchanged" });
  expect(ask(alan, asked, done)).toEqual({ kind: "unchanged" });
  expect(ask(alan, voteOn(asked, "reject"), done)).toMatchObject(
    refusal(
      "ACTIVITY_NOT_PENDING",
      "the activity is no longer waiting for votes: its status is ACTIVITY_STATUS_COMPLETED",
      { code: "INVALID_ARGUMENT", field: "parameters.fingerprint" },
    ),
  );
  const ended = proposed(ask(grace, voteOn(other, "reject"), started(ada, other))).record;
  expect(ask(alan, voteOn(other, "reject"), ended)).toEqual({ kind: "unchanged" });
  for (const request of [voteOn(other, "approve"), other]) {
    expect(ask(alan, request, ended)).toMatchObject(
      refusal("ACTIVITY_NOT_PENDING", /ACTIVITY_STATUS_REJECTED$/),
    );
  }
});

test("an activity that the document knows as ended is not voted on, whatever its record says", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  const { document: next } = proposed(ask(grace, voteOn(asked, "reject"), waiting));
  if (!next) throw new Error("a rejection writes the document");
  // Also once its bytes are too old to be closed.
  for (const ended of [next, { ...next, closed: [] }]) {
    document = ended;
    for (const request of [voteOn(asked, "approve"), voteOn(asked, "reject"), asked]) {
      expect(ask(alan, request, waiting)).toMatchObject(
        refusal(
          "STALE_RECORD",
          "the host brought an activity as waiting that the document does not list",
          { code: "UNAVAILABLE" },
        ),
      );
    }
  }
});

test("votes count only by users and keys that the document has now", () => {
  document.rootQuorum.threshold = 3;
  const asked = newTag();
  const one = started(ada, asked);
  const two = committed(ask(grace, voteOn(asked, "approve"), one)).record;
  const last = () => proposed(ask(alan, voteOn(asked, "approve"), two)).activity.status;
  expect(last()).toBe("ACTIVITY_STATUS_COMPLETED");
  const [, , ...others] = document.users;
  document.users = [userOf(ada), userOf(newPerson(grace.userId)), ...others];
  expect(last()).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  document.users = [userOf(ada), ...others];
  document.rootQuorum.userIds = [ada.userId, alan.userId, clerk.userId];
  expect(last()).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
});

test("an activity lapses with the user who started it", () => {
  const asked = newTag();
  const waiting = started(ada, asked);
  document.users = document.users.filter(({ userId }) => userId !== ada.userId);
  document.rootQuorum = { threshold: 1, userIds: [grace.userId] };
  for (const request of [voteOn(asked, "approve"), voteOn(asked, "reject"), asked]) {
    expect(ask(grace, request, waiting)).toMatchObject(
      refusal(
        "ACTIVITY_NOT_PENDING",
        "the activity lapsed, because the user who started it was deleted; send the request again",
        { field: "parameters.fingerprint" },
      ),
    );
  }
});

test("a vote stores the outcome of each policy with this vote counted", () => {
  document.policies = [policy({ consensus: "approvers.count() >= 3" })];
  document.rootQuorum.threshold = 3;
  const asked = newTag();
  const waiting = started(ada, asked);
  const approved = committed(ask(grace, voteOn(asked, "approve"), waiting));
  const again = proposed(ask(alan, voteOn(asked, "reject"), approved.record));
  const letters = again.activity.votes.map(({ outcomes }) => outcomes);
  expect(letters.map((each) => each.length)).toEqual([1, 1, 1]);
  expect(letters[0]).toBe(letters[1]);
  expect(letters[2]).not.toBe(letters[1]);
});

test("a vote needs the activity that it names, and nothing else", () => {
  const [asked, other] = [newTag(), newTag("other")];
  const [waiting, second] = [started(ada, asked), started(ada, other)];
  for (const selection of ["approve", "reject"] as const) {
    expect(ask(grace, voteOn(asked, selection))).toMatchObject(
      refusal(
        "ACTIVITY_NOT_FOUND",
        "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint",
      ),
    );
    expect(ask(grace, voteOn(asked, selection), second)).toMatchObject(refusal("RECORD_REFUSED"));
  }
  expect(ask(grace, asked, second)).toMatchObject(refusal("RECORD_REFUSED"));
  const both = [core.notarized(document), waiting, second];
  expect(core.ask(grace, voteOn(asked, "approve"), both)).toMatchObject(refusal("RECORD_REFUSED"));
});

test("the votes of deleted users make room for those of others", () => {
  document.rootQuorum.threshold = 3;
  const asked = newTag();
  const { body: activity } = readRecord(started(ada, asked)) as { body: ActivityRecord };
  const [vote] = activity.votes;
  if (!vote) throw new Error("the start is a vote");
  const withVotes = (count: number) => {
    const lost = Array.from({ length: count - 1 }, () => ({ ...vote, userId: newPerson().userId }));
    return core.notarizedActivity({ ...activity, votes: [vote, ...lost] });
  };
  const votersOf = (record: Uint8Array) => {
    const answer = ask(grace, voteOn(asked, "approve"), record);
    return proposed(answer).activity.votes.map(({ userId }) => userId);
  };
  expect(votersOf(withVotes(250))).toHaveLength(251);
  expect(votersOf(withVotes(251))).toEqual([ada.userId, grace.userId]);
});
