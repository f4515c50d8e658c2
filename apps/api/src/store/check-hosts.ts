import { urlsOfHosts } from "../config/database-url.ts";
import { StartError } from "../config/start-error.ts";
import type { Store } from "./connect.ts";
import { findServer, type Server } from "./find-server.ts";

/**
 * Refuses a DATABASE_URL whose hosts are servers of different clusters: after a failover, the service would work with the
 * records of strangers. A host that is away, or does not say which server it is, is not compared.
 */
export async function assertHostsAreOne({ place }: Store): Promise<void> {
  const url = place?.url.open();
  const urls = (url === undefined ? undefined : urlsOfHosts(url)) ?? [];
  if (urls.length < 2) return;
  const found = await Promise.all(urls.map((each) => findServer(each).catch(() => null)));
  const [first, ...others] = found.flatMap((server, i) =>
    server === null ? [] : [{ ...server, host: hostOf(urls[i] ?? "") }],
  );
  const other = first && others.find((each) => isAnother(first, each));
  if (!first || !other) return;
  throw new StartError(
    `the hosts ${first.host} and ${other.host} of DATABASE_URL are not servers of one cluster, because they have different ${first.system === other.system ? "installations" : "system identifiers"}; name only a primary and the standbys that follow it`,
  );
}

function isAnother(one: Server, other: Server): boolean {
  if (one.system !== other.system) return true;
  // Its tables may still be on their way.
  const ids = [one.installationId, other.installationId];
  return !ids.includes(undefined) && ids[0] !== ids[1];
}

/** Without the name and the password. */
function hostOf(url: string): string {
  return new URL(url).host;
}
