import type { Store } from "./connect.ts";

/** Which document is the newest of an organization. */
export type Pointer = { version: number; digest: string };

/** Undefined if there is no such organization. */
export type FindPointer = (organizationId: string) => Promise<Pointer | undefined>;

/** While so many are under way, who asks waits for the next one: a connection that hangs holds up half of them. */
const MOST_STATEMENTS = 2;
const MOST_IDS = 100;

type Found = Map<string, Pointer>;

type Batch = {
  ids: Set<string>;
  found: Promise<Found>;
  resolve: (found: Found) => void;
  reject: (error: unknown) => void;
};

/**
 * Every query asks for one, and most of what a statement costs is the same for many. So those who ask while others are
 * answered share a statement, which begins after all of them have asked.
 */
export function createFindPointer({ run }: Pick<Store, "run">): FindPointer {
  const waiting: Batch[] = [];
  let underWay = 0;

  async function read({ ids, resolve, reject }: Batch) {
    underWay += 1;
    try {
      const rows = await run(
        "find-pointers",
        "SELECT organization_id, version, digest FROM organizations WHERE organization_id = ANY ($1::uuid[])",
        [[...ids]],
      );
      resolve(
        new Map(
          rows.map(({ organization_id, version, digest }) => [
            String(organization_id),
            { version: Number(version), digest: String(digest) },
          ]),
        ),
      );
    } catch (error) {
      reject(error);
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
      last = newBatch();
      waiting.push(last);
    }
    last.ids.add(organizationId);
    leave();
    return (await last.found).get(organizationId);
  };
}

function newBatch(): Batch {
  // By hand, because the emulator runs on Node.js 20.18 too.
  let [resolve, reject]: [Batch["resolve"], Batch["reject"]] = [() => {}, () => {}];
  const found = new Promise<Found>((whenFound, whenNot) => {
    [resolve, reject] = [whenFound, whenNot];
  });
  return { ids: new Set(), found, resolve, reject };
}
