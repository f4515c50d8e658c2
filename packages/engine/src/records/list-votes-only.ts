import { limitExceeded } from "../errors.ts";
import type { Handling } from "./handling.ts";
import { LIMITS, MAX_AGE_MS } from "./limits.ts";
import type { OrganizationDocument } from "./organization.ts";
import type { Beside, Span, VotesOnlyLine } from "./votes-only.ts";

/** With a few of each user at a time. */
const MAX_IN_ALL = LIMITS.votesOnly + LIMITS.fewVotesOnly * LIMITS.users;

/** Lists a request that starts to wait. Refuses it if its user has no room for another one. */
export function listVotesOnly(
  draft: OrganizationDocument,
  context: Pick<Handling, "requestName" | "requestedAtMs" | "nowMs">,
  { userId, ...beside }: Beside & { userId: string },
) {
  const { requestedAtMs, nowMs } = context;
  const live = (draft.votesOnly ?? []).filter((line) => isNeeded(draft, line, nowMs));
  assertRoom(live, userId);
  // No proposal of the request is made later than that.
  const span =
    "walletId" in beside ? beside : { untilMs: requestedAtMs + MAX_AGE_MS + beside.seconds * 1000 };
  draft.votesOnly = [...live, { request: context.requestName(), userId, ...span }];
}

/** Votes have decided what a proposal may have given at once: the same accounts. */
export function unlistVotesOnly(
  draft: OrganizationDocument,
  context: Pick<Handling, "requestName">,
) {
  const request = context.requestName();
  draft.votesOnly = draft.votesOnly?.filter((line) => line.request !== request);
}

function isNeeded({ wallets }: OrganizationDocument, span: Span, nowMs: number): boolean {
  if ("untilMs" in span) return span.untilMs > nowMs;
  return wallets.some(({ walletId }) => walletId === span.walletId);
}

function assertRoom(lines: VotesOnlyLine[], userId: string) {
  const mine = lines.filter((line) => line.userId === userId).length;
  const isFull = mine >= LIMITS.votesOnlyPerUser;
  // Lines of users who were deleted stay, so that there could be any number of users with a few.
  const most = mine < LIMITS.fewVotesOnly ? MAX_IN_ALL : LIMITS.votesOnly;
  if (!isFull && lines.length < most) return;
  const limit = isFull
    ? `${LIMITS.votesOnlyPerUser} of a user`
    : `${LIMITS.votesOnly} of all users`;
  throw limitExceeded(
    "organizationId",
    `requests for accounts, logins and codes are remembered once they waited for approvals, and there are ${limit}: let somebody send the request who needs no approval, or let a policy allow it`,
  );
}
