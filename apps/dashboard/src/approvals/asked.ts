import type { Activity, SimulateActivityRequest } from "@keyhearth/sdk";

/** An activity as the simulation asks about it: as its requester asked, with the approvals that it has. */
export type Simulated = Required<
  Pick<SimulateActivityRequest, "activity" | "userId" | "approverUserIds">
> & {
  /** What they stamped with, by user. Without one, the first credential that lasts counts, as at the service. */
  publicKeys?: Readonly<Record<string, string>>;
};

export function simulatedOf({ votes }: Activity): Simulated | undefined {
  const [first, ...others] = votes.filter(
    ({ selection }) => selection === "VOTE_SELECTION_APPROVED",
  );
  const request = first && objectIn(first.message);
  if (!first || !request || typeof request.parameters !== "object") return undefined;
  return {
    activity: { type: String(request.type), parameters: { ...request.parameters } },
    userId: first.userId,
    approverUserIds: others.map(({ userId }) => userId),
    publicKeys: Object.fromEntries(
      [first, ...others].map(({ userId, publicKey }) => [userId, publicKey]),
    ),
  };
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
