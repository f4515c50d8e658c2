import type { Cache } from "./cache.ts";
import type { Db } from "./store/connect.ts";
import { familyIdOf, findParentId } from "./store/organizations.ts";

/** Whose work it is: an organization, and the top-level organization that it belongs to. */
export type Owner = { organizationId: string; familyId: string };

/** A top-level organization and its sub-organizations are a family: they share what is bounded. */
export type Families = {
  ownerOf(organizationId: string): Promise<Owner>;
};

/** All organizations that do not exist are one family, so that naming many of them takes no more. */
const NOBODY = "";

/** How many families are remembered. Nothing changes which family an organization belongs to. */
const MOST_REMEMBERED = 20_000;

export function createFamilies(db: Db, cache: Cache): Families {
  const remembered = new Map<string, string>();

  async function find(organizationId: string): Promise<string> {
    const cached = cache.document(organizationId)?.document;
    const parentId = cached ? cached.parentOrganizationId : await findParentId(db, organizationId);
    if (parentId === undefined) return NOBODY;
    return familyIdOf({ organizationId, parentOrganizationId: parentId });
  }

  return {
    async ownerOf(organizationId) {
      const known = remembered.get(organizationId);
      if (known !== undefined) return { organizationId, familyId: known };
      const familyId = await find(organizationId);
      if (familyId !== NOBODY) {
        const [oldest] = remembered.keys();
        if (remembered.size >= MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
        remembered.set(organizationId, familyId);
      }
      return { organizationId, familyId };
    },
  };
}
