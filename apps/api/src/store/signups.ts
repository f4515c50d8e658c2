import type { Db } from "./connect.ts";

/** Hashes of the network that a signup came from, and of the IPv6 site that the network belongs to. */
export type SignupPlace = { networkHash: string | null; siteHash: string | null };

/** Where the signup of a top-level organization came from. Undefined if nobody signed up for it. */
export async function findSignup(db: Db, organizationId: string): Promise<SignupPlace | undefined> {
  const row = await db
    .selectFrom("signups")
    .select(["network_hash", "site_hash"])
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row && { networkHash: row.network_hash, siteHash: row.site_hash };
}
