import { first } from "@keyhearth/engine/organization.testing";
import type { World } from "./world.ts";

/** Everything that a request could have changed. */
export async function written(worlds: World[]): Promise<unknown> {
  const { server } = first(worlds).organization;
  const ids = worlds.map(({ organization }) => organization.organizationId);
  return server.store.run(
    "written",
    `SELECT 'activities' AS name, count(*) AS rows, 0 AS version FROM activities WHERE organization_id = ANY($1::uuid[])
     UNION ALL SELECT 'organizations', count(*), 0 FROM organizations
     UNION ALL SELECT organization_id::text, 1, version FROM organizations WHERE organization_id = ANY($1::uuid[])
     UNION ALL SELECT 'outbox', count(*), 0 FROM outbox
     UNION ALL SELECT 'sessions', count(*), 0 FROM sessions
     ORDER BY name`,
    [ids],
  );
}
