import {
  type Activity,
  getUser,
  type SimulateActivityResponse,
  simulateActivity,
} from "@keyhearth/sdk";
import type { Connected } from "./connected.ts";
import { connect } from "./sending.ts";

/** Sets of users by name: the approvals of any one set complete the request. */
export type Needed = { sets: string[][]; hasMore: boolean };

/** More names help nobody. */
const MOST_NAMES = 8;

/** Whose approvals are missing for a request. */
export async function neededFor(
  connected: Connected,
  activity: { type: string; parameters: Record<string, unknown> },
  { userId, approverUserIds }: { userId: string; approverUserIds: string[] },
): Promise<Needed> {
  const connection = connect(connected);
  const asked = { activity, userId, approverUserIds };
  const answer: SimulateActivityResponse = await simulateActivity(connection, asked);
  const missing = answer.neededApprovals
    .map((set) => set.filter((id) => id !== userId && !approverUserIds.includes(id)))
    .filter((set) => set.length > 0);
  const ids = [...new Set(missing.flat())].slice(0, MOST_NAMES);
  const names = new Map(
    await Promise.all(
      ids.map(async (id) => {
        const { user } = await getUser(connection, { userId: id });
        return [id, user.userName] as const;
      }),
    ),
  );
  const sets = missing.map((set) => set.map((id) => names.get(id) ?? id));
  return { sets, hasMore: answer.hasMoreApprovals };
}

/** What the simulation asks about an activity that waits. Null if its first vote does not say what it is. */
export function askedBy({ votes }: Activity) {
  const [first, ...others] = votes.filter(
    ({ selection }) => selection === "VOTE_SELECTION_APPROVED",
  );
  if (!first) return null;
  const request = readRequest(first.message);
  if (!request) return null;
  return {
    activity: request,
    by: { userId: first.userId, approverUserIds: others.map(({ userId }) => userId) },
  };
}

/** The type and the parameters in the body of a submission. */
function readRequest(body: string) {
  try {
    const { type, parameters } = JSON.parse(body);
    return { type: String(type), parameters: { ...parameters } as Record<string, unknown> };
  } catch {
    return null;
  }
}
