import type { ReceiptsReport } from "@keyhearth/sdk/crypto";

/** The activity that the screen shows. The fingerprint is that of the request that people read there. */
export type ShownActivity = { organizationId: string; activityId: string; fingerprint: string };

/**
 * The last proven statement about an activity. Undefined if there is none, and "other" if it is about another request: then the
 * signer has recorded something else under this id.
 */
export function statementAbout(
  { statements }: Pick<ReceiptsReport, "statements">,
  { organizationId, activityId, fingerprint }: ShownActivity,
): ReceiptsReport["statements"][number] | "other" | undefined {
  const statement = statements.filter((each) => each.activityId === activityId).at(-1);
  if (!statement) return undefined;
  const isSame =
    statement.organizationId === organizationId && statement.fingerprint === fingerprint;
  return isSame ? statement : "other";
}
