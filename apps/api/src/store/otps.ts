import { otp } from "@keyhearth/engine/records/otp";
import type { Store } from "./connect.ts";
import { chargeStorage, ROW_BYTES } from "./family-storage.ts";
import { defineTable } from "./table.ts";

export const otps = defineTable({
  kind: otp,
  name: "otps",
  id: "otp_id",
  columns: {
    user_id: { type: "text", of: ({ userId }) => userId ?? "" },
    expires_at_ms: { type: "bigint", of: ({ expiresAtMs }) => expiresAtMs },
  },
  finds: { otp: { id: ({ otpId }) => otpId } },
});

/** Deletes codes that expired before this time, at most `limit`. Returns how many there were. */
export async function deleteExpiredOtps({ run }: Store, nowMs: number, limit: number) {
  const rows = await run(
    "delete-expired-otps",
    `WITH removed AS (
       DELETE FROM otps WHERE (organization_id, otp_id) IN (
         SELECT organization_id, otp_id FROM otps WHERE expires_at_ms < $1::bigint LIMIT $2::bigint)
       RETURNING organization_id, otp_id, -(${ROW_BYTES} + octet_length(record)) AS bytes
     ), charged AS (
       ${chargeStorage("removed")}
     )
     SELECT otp_id FROM removed`,
    [nowMs, limit],
  );
  return rows.length;
}
