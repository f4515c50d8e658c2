import { describe, expect, test } from "vitest";
import { activities } from "../activities/index.ts";
import { changesDocument } from "../declare/define.ts";
import { LIMITS } from "./limits.ts";
import { listVotesOnly } from "./list-votes-only.ts";
import { newOrganizationDocument } from "./organization.ts";
import type { VotesOnlyLine } from "./votes-only.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

function documentWith(votesOnly: VotesOnlyLine[]) {
  const document = newOrganizationDocument({
    organizationId: "a",
    organizationName: "a",
    createdAtMs: 0,
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
  });
  return { ...document, votesOnly };
}

function linesOf(userId: string, count: number, untilMs = NOW_MS + 1): VotesOnlyLine[] {
  return Array.from({ length: count }, (_, number) => ({
    request: `${userId} ${number}`,
    userId,
    untilMs,
  }));
}

function list(
  document: ReturnType<typeof documentWith>,
  beside: { seconds: number } | { walletId: string } = { seconds: 60 },
) {
  const context = { requestName: () => "new", requestedAtMs: NOW_MS, nowMs: NOW_MS };
  listVotesOnly(document, context, { ...beside, userId: "ada" });
  return document.votesOnly;
}

test("a request is listed until what it gave in its last minute has expired", () => {
  expect(list(documentWith([]))).toEqual([
    { request: "new", userId: "ada", untilMs: NOW_MS + HOUR_MS + 60_000 },
  ]);
});

test("lines that have ended are dropped, and those of wallets that are gone", () => {
  const gone = { request: "x", userId: "ada", walletId: "deleted" };
  const document = documentWith([...linesOf("ada", LIMITS.votesOnlyPerUser - 1, NOW_MS), gone]);
  expect(list(document)).toHaveLength(1);
});

describe("a user without room", () => {
  const full = { reason: "LIMIT_EXCEEDED" };

  test("is refused, and others are not", () => {
    expect(() => list(documentWith(linesOf("ada", LIMITS.votesOnlyPerUser)))).toThrow(
      expect.objectContaining(full),
    );
    expect(list(documentWith(linesOf("bob", LIMITS.votesOnlyPerUser)))).toHaveLength(101);
  });

  test("has a few, however many others have", () => {
    const others = Array.from({ length: 10 }, (_, number) =>
      linesOf(`user ${number}`, LIMITS.votesOnlyPerUser),
    ).flat();
    const few = linesOf("ada", LIMITS.fewVotesOnly - 1);
    expect(list(documentWith([...others, ...few]))).toHaveLength(1010);
    const more = linesOf("ada", LIMITS.fewVotesOnly);
    expect(() => list(documentWith([...others, ...more]))).toThrow(expect.objectContaining(full));
  });
});

test("users who were deleted leave their lines, and those of all have a bound", () => {
  const gone = Array.from({ length: 200 }, (_, number) => linesOf(`gone ${number}`, 10)).flat();
  expect(list(documentWith(gone.slice(1)))).toHaveLength(2000);
  expect(() => list(documentWith(gone))).toThrow(
    expect.objectContaining({ reason: "LIMIT_EXCEEDED" }),
  );
});

test("every activity that can leave the document as it is says what it gives beside it", () => {
  const silent = activities
    .filter((each) => !each.givesBeside && !changesDocument(each, each.example))
    .map(({ name }) => name);
  // What these give is in their answers alone, and out with the decision.
  expect(silent).toEqual([
    "create_read_only_session",
    "sign_raw_payload",
    "sign_raw_payloads",
    "sign_transaction",
    "resend_webhook_delivery",
  ]);
});
