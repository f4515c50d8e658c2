import { isDeepStrictEqual } from "node:util";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { unauthenticated } from "@keyhearth/engine/errors";
import { isAttestedStamp, isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import { asciiLowerCase } from "@keyhearth/engine/records/contacts";
import type { Identity, OrganizationDocument, User } from "@keyhearth/engine/records/organization";
import { type RawBuilder, sql } from "kysely";
import type { Db, Store } from "./connect.ts";
import type { LookupKind } from "./schema.ts";

export type Lookup = {
  organizationId: string;
  kind: LookupKind;
  valueHash: string;
  subjectId: string;
  parentOrganizationId: string | null;
  /** Set for what expires. */
  expiresAtMs?: number;
  /** Whether the parent gave it, when it created the organization. Only for credentials. */
  isFromParent?: boolean;
  /** Whether its user registered it without a permission, in a top-level organization. */
  isStated?: boolean;
};

/**
 * Emails match in any case, everything else only exactly. In a verified one only ASCII letters do, as when
 * its user logs in.
 */
export function lookupHash(kind: LookupKind, value: string): string {
  const normal = normalize[kind]?.(value) ?? value;
  return encodeHex(sha256(encodeUtf8(`${kind}\n${normal}`)));
}

const normalize: { [kind in LookupKind]?: (value: string) => string } = {
  EMAIL: (value) => value.toLowerCase(),
  VERIFIED_EMAIL: asciiLowerCase,
};

/** Everything a document can be found by. */
export function lookupsOfDocument(document: OrganizationDocument): Lookup[] {
  const { organizationId, parentOrganizationId, organizationName, users } = document;
  const entry = (kind: LookupKind, value: string, subjectId: string): Lookup => ({
    organizationId,
    kind,
    valueHash: lookupHash(kind, value),
    subjectId,
    parentOrganizationId,
  });
  const found = [entry("NAME", organizationName, organizationId)];
  for (const user of users) {
    const { userId, userName, userEmail, userPhoneNumber } = user;
    const { apiKeys, authenticators, oauthProviders } = user;
    found.push(entry("USERNAME", userName, userId));
    if (userEmail !== null) found.push(entry("EMAIL", userEmail, userId));
    if (userPhoneNumber !== null) found.push(entry("PHONE_NUMBER", userPhoneNumber, userId));
    if (userEmail !== null && user.isEmailVerified) {
      found.push(entry("VERIFIED_EMAIL", userEmail, userId));
    }
    if (userPhoneNumber !== null && user.isPhoneNumberVerified) {
      found.push(entry("VERIFIED_PHONE_NUMBER", userPhoneNumber, userId));
    }
    for (const { credential, isStated } of apiKeys) {
      const lookup = entry("PUBLIC_KEY", credential.publicKey, userId);
      found.push(isStated ? { ...lookup, isStated } : lookup);
    }
    for (const { credentialId, isStated } of authenticators) {
      const lookup = entry("CREDENTIAL_ID", credentialId, userId);
      found.push(isStated ? { ...lookup, isStated } : lookup);
    }
    for (const provider of oauthProviders) {
      found.push(entry("OIDC_TOKEN", identityLookup(provider), userId));
      if (provider.isProven) {
        found.push(entry("VERIFIED_OIDC_TOKEN", identityLookup(provider), userId));
      }
    }
  }
  return found;
}

/**
 * What a new version of a document adds and removes. An organization may have thousands of credentials, and this is
 * done at once on the thread that serves everybody, so what users did not change is neither hashed nor compared.
 */
export function changedLookups(
  before: OrganizationDocument,
  after: OrganizationDocument,
): { added: Lookup[]; removed: Lookup[] } {
  const kept = keptUsers(before, after);
  const [had, has] = [before, after].map((document) => {
    const users = document.users.filter(({ userId }) => !kept.has(userId));
    return lookupsOfDocument({ ...document, users });
  }) as [Lookup[], Lookup[]];
  const keyOf = ({ kind, valueHash, subjectId }: Lookup) => `${kind} ${valueHash} ${subjectId}`;
  const hadKeys = new Set(had.map(keyOf));
  const hasKeys = new Set(has.map(keyOf));
  return {
    added: has.filter((each) => !hadKeys.has(keyOf(each))),
    removed: had.filter((each) => !hasKeys.has(keyOf(each))),
  };
}

/** The ids of users who are found by the same in both. */
function keptUsers(before: OrganizationDocument, after: OrganizationDocument): Set<string> {
  const old = new Map(before.users.map((user) => [user.userId, user]));
  const kept = after.users.filter((user) => isFoundAlike(user, old.get(user.userId)));
  return new Set(kept.map(({ userId }) => userId));
}

/** Tags and sessions change what a user is found by for nobody. */
function isFoundAlike(user: User, other: User | undefined): boolean {
  return other !== undefined && foundBy.every((name) => isDeepStrictEqual(user[name], other[name]));
}

const foundBy = [
  "userName",
  "userEmail",
  "isEmailVerified",
  "userPhoneNumber",
  "isPhoneNumberVerified",
  "apiKeys",
  "authenticators",
  "oauthProviders",
] as const satisfies (keyof User)[];

/** What the user of a social login is found by. */
export function identityLookup({ issuer, audience, subject }: Identity): string {
  return JSON.stringify([issuer, audience, subject]);
}

/** What the credential of a stamp is found by. What a token attests only counts where it was proven. */
export function lookupOfStamp(stamp: Stamp): { kind: LookupKind; value: string } {
  if (isPasskeyStamp(stamp)) return { kind: "CREDENTIAL_ID", value: stamp.credentialId };
  if (!isAttestedStamp(stamp)) return { kind: "PUBLIC_KEY", value: stamp.publicKey };
  const { attestation } = stamp;
  if ("identity" in attestation) {
    return { kind: "VERIFIED_OIDC_TOKEN", value: identityLookup(attestation.identity) };
  }
  const { type, contact } = attestation.contact;
  return { kind: type === "email" ? "VERIFIED_EMAIL" : "VERIFIED_PHONE_NUMBER", value: contact };
}

/**
 * The organizations, among this one and its sub-organizations, in which a user has the credential, in groups of
 * at most three. The first group counts, and if there is more than one organization in it, the credential does
 * not say which is meant. Anyone can register somebody else's credential as their own. So this organization
 * counts first only with a credential that it gave by a permission, then the one sub-organization to which it
 * gave the credential, and its users' own additions and sessions come after those of sub-organizations. If no
 * user has the credential now, the organizations in which a user had it before follow.
 */
export async function findHomes(
  db: Db,
  organizationId: string,
  { stamp, nowMs }: { stamp: Stamp; nowMs: number },
): Promise<string[][]> {
  const { kind, value } = lookupOfStamp(stamp);
  const of = sql`FROM lookups WHERE kind = ${kind} AND value_hash = ${lookupHash(kind, value)}`;
  const own = sql`organization_id = ${organizationId}::uuid`;
  const children = sql`parent_organization_id = ${organizationId}::uuid`;
  const isLive = sql`(expires_at_ms IS NULL OR expires_at_ms > ${nowMs}::bigint)`;
  // Each part ends after a few rows of the index, however many sub-organizations have the credential.
  const { rows } = await sql<{ organization_id: string; found: Found }>`
    (SELECT organization_id, 'own' AS found ${of} AND ${own} AND expires_at_ms IS NULL
       AND NOT is_stated LIMIT 1)
    UNION ALL
    (SELECT DISTINCT organization_id, 'given' ${of} AND ${children} AND ${isLive} AND is_from_parent
     ORDER BY organization_id LIMIT 2)
    UNION ALL
    (SELECT DISTINCT organization_id, 'live' ${of} AND ${children} AND ${isLive}
     ORDER BY organization_id LIMIT 3)
    UNION ALL
    (SELECT organization_id, 'stated' ${of} AND ${own} AND ${isLive} LIMIT 1)
    UNION ALL
    (SELECT organization_id, 'old' ${of} AND ${own} LIMIT 1)
    UNION ALL
    (SELECT DISTINCT organization_id, 'old elsewhere' ${of} AND ${children}
     ORDER BY organization_id LIMIT 3)
  `.execute(db);
  const those = (kind: Found) =>
    rows.filter((row) => row.found === kind).map((row) => row.organization_id);
  const given = those("given");
  const groups = [
    those("own"),
    given.length === 1 ? given : [],
    those("live"),
    those("stated"),
    those("old"),
    those("old elsewhere"),
  ];
  return groups.filter((group) => group.length > 0);
}

type Found = "own" | "given" | "live" | "stated" | "old" | "old elsewhere";

/** The credential does not say which of them is meant. */
export function moreThanOneSubOrganization(organizationId: string, stamp: Stamp) {
  if (isAttestedStamp(stamp)) return attestedAmbiguous(organizationId);
  const { value } = lookupOfStamp(stamp);
  const what = isPasskeyStamp(stamp)
    ? `a credential ID organizationId=${organizationId} credentialId=${value}`
    : `a public key organizationId=${organizationId} publicKey=${value}`;
  return unauthenticated("CREDENTIAL_AMBIGUOUS", `more than one suborg associated with ${what}`);
}

function attestedAmbiguous(organizationId: string) {
  const what = `the contact or social login that the stamp attests organizationId=${organizationId}`;
  return unauthenticated("CREDENTIAL_AMBIGUOUS", `more than one suborg associated with ${what}`);
}

/** Deletes what expired before this time, at most `limit` rows. Returns how many there were. */
export async function deleteExpiredLookups({ run }: Store, nowMs: number, limit: number) {
  const rows = await run(
    "delete-expired-lookups",
    `DELETE FROM lookups WHERE (organization_id, kind, value_hash, subject_id) IN (
       SELECT organization_id, kind, value_hash, subject_id FROM lookups
       WHERE expires_at_ms < $1::bigint LIMIT $2::bigint)
     RETURNING subject_id`,
    [nowMs, limit],
  );
  return rows.length;
}

/** The rows of the credential of the stamp, in any organization. */
function ofStamp(db: Db, stamp: Stamp) {
  const { kind, value } = lookupOfStamp(stamp);
  return db
    .selectFrom("lookups")
    .where("kind", "=", kind)
    .where("value_hash", "=", lookupHash(kind, value));
}

/** The user who may have the credential of the stamp. */
export async function findUserIdOfStamp(
  db: Db,
  organizationId: string,
  stamp: Stamp,
): Promise<string | undefined> {
  const row = await ofStamp(db, stamp)
    .select("subject_id")
    .where("organization_id", "=", organizationId)
    .limit(1)
    .executeTakeFirst();
  return row?.subject_id;
}

/** Whether any organization has the credential of the stamp. It may have expired. */
export async function isHeldSomewhere(db: Db, stamp: Stamp): Promise<boolean> {
  const row = await ofStamp(db, stamp).select("organization_id").limit(1).executeTakeFirst();
  return row !== undefined;
}

type Sought = { stamp: Stamp; nowMs: number };

/** Organizations in which a user has the credential of the stamp now, at most `limit`. */
export async function findHolders(
  db: Db,
  { stamp, nowMs }: Sought,
  limit: number,
): Promise<string[]> {
  const rows = await ofStamp(db, stamp)
    .select("organization_id")
    .where((eb) => eb.or([eb("expires_at_ms", "is", null), eb("expires_at_ms", ">", nowMs)]))
    .limit(limit)
    .execute();
  return [...new Set(rows.map((row) => row.organization_id))];
}

/**
 * The same, among these organizations, their parents and their sub-organizations. Parents come first: a user of a
 * sub-organization may register a key of the application.
 */
export async function findHoldersNear(
  db: Db,
  { stamp, nowMs }: Sought,
  organizationIds: readonly string[],
): Promise<string[]> {
  const { kind, value } = lookupOfStamp(stamp);
  const hash = lookupHash(kind, value);
  const those = (place: number, condition: RawBuilder<unknown>) => sql`
    (SELECT DISTINCT organization_id, ${sql.lit(place)} AS place FROM lookups
     WHERE kind = ${kind} AND value_hash = ${hash} AND ${condition}
       AND (expires_at_ms IS NULL OR expires_at_ms > ${nowMs}::bigint)
     ORDER BY organization_id LIMIT 4)`;
  // Each part ends after a few rows of an index, however many sub-organizations have the credential.
  const parts = organizationIds.flatMap((id) => {
    const parent = sql`SELECT parent_organization_id FROM organizations WHERE organization_id = ${id}::uuid`;
    return [
      those(0, sql`organization_id = (${parent})`),
      those(1, sql`organization_id = ${id}::uuid`),
      those(2, sql`parent_organization_id = ${id}::uuid`),
    ];
  });
  const { rows } = await sql<{ organization_id: string }>`
    ${sql.join(parts, sql` UNION ALL `)} ORDER BY place
  `.execute(db);
  return [...new Set(rows.map((row) => row.organization_id))];
}

/**
 * Whether the organization or its parent has the credential of the stamp. It may have expired. Anybody can register
 * it in many organizations of their own, so each part names all columns of the index by value: whichever index is
 * taken, and however rare the statistics say that the value is, a few rows are read.
 */
export async function hasCredential(
  db: Db,
  organizationId: string,
  stamp: Stamp,
): Promise<boolean> {
  const { kind, value } = lookupOfStamp(stamp);
  const own = sql`${organizationId}::uuid`;
  const parent = sql`(SELECT parent_organization_id FROM organizations WHERE organization_id = ${own})`;
  const of = (id: RawBuilder<unknown>, isBelow: RawBuilder<unknown>) => sql`
    (SELECT organization_id FROM lookups
     WHERE kind = ${kind} AND value_hash = ${lookupHash(kind, value)}
       AND organization_id = ${id} AND parent_organization_id ${isBelow}
     LIMIT 1)`;
  const parts = [of(own, sql`= ${parent}`), of(own, sql`IS NULL`), of(parent, sql`IS NULL`)];
  const { rows } = await sql`${sql.join(parts, sql` UNION ALL `)} LIMIT 1`.execute(db);
  return rows.length > 0;
}
