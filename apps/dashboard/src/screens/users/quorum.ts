import type { Quorum, User } from "@keyhearth/sdk";
import { seenName } from "../../ui/seen.ts";
import { countOf, hasLastingCredential } from "./team.ts";

/** What a root quorum would mean: why it would lock everybody out, and what else to know before it is saved. */
export type Judgement = { refusals: string[]; warnings: string[] };

/**
 * The service accepts every quorum whose members exist. It does not know whether they can still log in, so this is where
 * people hear that they would lock themselves out.
 */
export function judgeQuorum(
  { threshold, userIds }: Quorum,
  { users, ownId, before }: { users: readonly User[]; ownId: string; before: Quorum },
): Judgement {
  const members = users.filter(({ userId }) => userIds.includes(userId));
  const lasting = members.filter(hasLastingCredential);
  const passing = members.filter((user) => !lasting.includes(user));
  const refusals: string[] = [];
  const warnings: string[] = [];
  const unknown = unknownIn(userIds, users);
  if (unknown.length > 0) {
    refusals.push(
      `The root quorum that the service names has ${countOf(unknown.length, "member")} who ${unknown.length === 1 ? "is" : "are"} not among its users: ${unknown.join(", ")}. Ask your operator: whatever is saved here would keep them.`,
    );
  }
  if (members.length === 0) {
    refusals.push("Choose at least one user: somebody has to be able to do everything.");
  } else if (!Number.isInteger(threshold) || threshold < 1) {
    refusals.push("At least one approval is needed.");
  } else if (threshold > members.length) {
    refusals.push(
      `${threshold} approvals of ${countOf(members.length, "user")} can never come together: choose more users, or fewer approvals.`,
    );
  } else if (lasting.length < threshold) {
    refusals.push(
      `Only ${lasting.length} of them can still log in once all sessions have ended, and ${threshold} approvals are needed. Everybody would be locked out for good: no operator can undo that.`,
    );
  }
  if (refusals.length > 0) return { refusals, warnings };
  if (lasting.length === threshold) {
    warnings.push(
      threshold === 1
        ? "There is one person without whom nothing works. If they lose all their passkeys and keys, the organization is lost: choose a second user."
        : `All ${threshold} of them are needed. If one of them loses all passkeys and keys, the organization is lost: choose one more user than approvals.`,
    );
  }
  for (const { userName } of passing) {
    warnings.push(
      `${userName} has no passkey and no API key that lasts, and may be unable to come back.`,
    );
  }
  if (before.userIds.includes(ownId) && !userIds.includes(ownId)) {
    warnings.push("You remove yourself. Only the others can take you back.");
  }
  if (threshold < before.threshold) {
    warnings.push(
      `Fewer approvals are needed than now: ${threshold} instead of ${before.threshold}.`,
    );
  }
  return { refusals, warnings };
}

function unknownIn(userIds: readonly string[], users: readonly User[]): string[] {
  return userIds.filter((id) => !users.some(({ userId }) => userId === id));
}

/** Who can do everything, in a sentence. Nobody is left out, also whom the list of users does not have. */
export function sentenceOf({ threshold, userIds }: Quorum, users: readonly User[]): string {
  const known = users.flatMap(({ userId, userName }) =>
    userIds.includes(userId) ? [seenName(userName)] : [],
  );
  const names = [...known, ...unknownIn(userIds, users).map((id) => `the unknown user ${id}`)];
  const list = new Intl.ListFormat("en", {
    type: threshold === names.length ? "conjunction" : "disjunction",
  }).format(names);
  if (names.length === 0) return "Nobody can do everything.";
  if (names.length === 1) return `${list} alone can do everything.`;
  if (threshold === 1) return `${list} can do everything alone.`;
  if (threshold === names.length) return `${list} can do everything, if all of them approve.`;
  const all = new Intl.ListFormat("en", { type: "conjunction" }).format(names);
  return `Any ${threshold} of ${all} can do everything together.`;
}
