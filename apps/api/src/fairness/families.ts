import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { Cache } from "../documents/cache.ts";
import type { Db } from "../store/connect.ts";
import { familyIdOf, findParentId } from "../store/organizations.ts";
import { findSignup } from "../store/signups.ts";

/** Whose work it is: an organization, and the top-level organization that it belongs to. */
export type Owner = {
  organizationId: string;
  familyId: string;
  /** Where the family signed up from. None if it is one of the operator's own. */
  signup?: FamilySignup | null;
};

/** What an application has apart from all its sub-organizations together, and these from it. */
export function groupOf({ organizationId, familyId }: Owner): string {
  return organizationId === familyId ? familyId : `sub-organizations of ${familyId}`;
}

/** What has a pace: such a group, and all such groups of families that signed up from one place. */
export function pacedGroupsOf(owner: Owner): string[] {
  const { organizationId, familyId, signup } = owner;
  if (!signup) return [groupOf(owner)];
  const those = organizationId === familyId ? "applications" : "sub-organizations";
  return [groupOf(owner), `${those} that signed up from ${placeOf(signup)}`];
}

/** A top-level organization and its sub-organizations are a family: they share what is bounded. */
export type Families = {
  ownerOf(organizationId: string): Promise<Owner>;
  /** Where the family signed up from. Null if it is one of the operator's own. */
  signupOf(familyId: string): Promise<FamilySignup | null>;
};

/** Families with the same network, or the same IPv6 site, count together. */
export type FamilySignup = { network: string; site: string | null };

/** An address, or an IPv6 site: one subscriber may have all networks of it. */
export function placeOf({ network, site }: FamilySignup): string {
  return site ?? network;
}

/** All organizations that do not exist are one family, so that naming many of them takes no more. */
const NOBODY = "";

/** Whose work it is if it is no organization's. */
export const nobody: Owner = { organizationId: NOBODY, familyId: NOBODY };

/** How many of each are remembered. Nothing changes an organization's family, or where it signed up from. */
const MAX_REMEMBERED = 20_000;

export function createFamilies(db: Db, cache: Cache): Families {
  const families = createMemory<string>();
  const signups = createMemory<FamilySignup | null>();

  async function find(organizationId: string): Promise<string> {
    const cached = cache.document(organizationId)?.document;
    const parentId = cached ? cached.parentOrganizationId : await findParentId(db, organizationId);
    if (parentId === undefined) return NOBODY;
    return familyIdOf({ organizationId, parentOrganizationId: parentId });
  }

  async function signupOf(familyId: string): Promise<FamilySignup | null> {
    const known = signups.get(familyId);
    if (known !== undefined) return known;
    const found = await findSignup(db, familyId);
    // A family whose network is not known counts for itself.
    const signup = found ? { network: found.networkHash ?? familyId, site: found.siteHash } : null;
    signups.keep(familyId, signup);
    return signup;
  }

  return {
    signupOf,
    async ownerOf(organizationId) {
      const known = families.get(organizationId);
      const familyId = known ?? (await find(organizationId));
      if (familyId === NOBODY) return { organizationId, familyId };
      if (known === undefined) families.keep(organizationId, familyId);
      return { organizationId, familyId, signup: await signupOf(familyId) };
    },
  };
}

/** The oldest is forgotten first. */
function createMemory<V>() {
  const remembered = new Map<string, V>();
  return {
    get: (id: string) => remembered.get(id),
    keep(id: string, value: V) {
      keepNewest(remembered, MAX_REMEMBERED, id, value);
    },
  };
}
