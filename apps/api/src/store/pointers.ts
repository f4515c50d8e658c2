import type { Store } from "./connect.ts";

/** Which document is the newest of an organization. */
export type Pointer = { version: number; digest: string };

/** Undefined if there is no such organization. */
export type FindPointer = (organizationId: string) => Promise<Pointer | undefined>;

/** While so many are under way, who asks waits for the next one: a connection that hangs holds up half of them. */
const MOST_STATEMENTS = 2;
const MOST_IDS = 100;

type Batch = { ids: Set<string>; found: PromiseWithResolvers<Map<string, Pointer>> };

/**
 * Every query asks for one, and most of what a statement costs is the same for many. So those who ask while others are
 * answered share a statement, which begins after all of them have asked.
 */
export function createFindPointer({ run }: Pick<Store, "run">): FindPointer {
  const waiting: Batch[] = [];
  let underWay = 0;

  async function read({ ids, found }: Batch) {
    underWay += 1;
    try {
      const rows = await run(
        "find-pointers",
        "SELECT organization_id, version, digest FROM organizations WHERE organization_id = ANY ($1::uuid[])",
        [[...ids]],
      );
      found.resolve(
        new Map(
          rows.map(({ organization_id, version, digest }) => [
            String(organization_id),
            { version: Number(version), digest: String(digest) },
          ]),
        ),
      );
    } catch (error) {
      found.reject(error);
    } finally {
      underWay -= 1;
      leave();
    }
  }

  function leave() {
    while (underWay < MOST_STATEMENTS) {
      const batch = waiting.shift();
      if (!batch) return;
      void read(batch);
    }
  }

  return async (organizationId) => {
    let last = waiting.at(-1);
    if (!last || last.ids.size >= MOST_IDS) {
      last = { ids: new Set(), found: Promise.withResolvers() };
      waiting.push(last);
    }
    last.ids.add(organizationId);
    leave();
    return (await last.found.promise).get(organizationId);
  };
}
