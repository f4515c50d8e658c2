import { STANDBY_TARGETS, urlsOfHosts } from "../config/database-url.ts";
import { StartError } from "../config/start-error.ts";
import type { Store } from "./connect.ts";
import { findServer, WHO } from "./find-server.ts";
import { findInstallationId } from "./installation.ts";
import { reasonOf, untrustedDatabase } from "./postgres.ts";
import { isDatabaseDown } from "./unavailable.ts";

/**
 * Refuses a DATABASE_READ_URL whose servers do not follow the primary: those of another installation would answer with
 * the records of strangers. A server that is away is looked at when it is asked: it must have the primary's mark.
 */
export async function assertStandbysFollow(store: Store): Promise<void> {
  const url = store.place?.standbyUrl;
  if (!url) return;
  const [primary] = await store.run("", WHO, []).catch(refuseEngine);
  const expected = {
    system: String(primary?.system),
    installationId: await findInstallationId(store.db),
  };
  for (const each of urlsOfHosts(url.open(), STANDBY_TARGETS) ?? []) {
    const found = await findServer(each).catch(refuseServer);
    if (found === null) continue;
    if (found.system !== expected.system) throw new StartError(OTHER_SERVER);
    // Its tables may still be on their way.
    if (found.installationId === undefined) continue;
    if (found.installationId !== expected.installationId) {
      throw new StartError(
        `DATABASE_READ_URL leads to a database of installation ${found.installationId}, but DATABASE_URL to one of installation ${expected.installationId}; set DATABASE_READ_URL to the same database on standbys, or unset it`,
      );
    }
  }
}

const OTHER_SERVER =
  "DATABASE_READ_URL leads to a server that is no standby of the one of DATABASE_URL, because the two have different system identifiers; set it to servers that follow that one, or unset it";

function refuseServer(cause: unknown): never {
  const reason = reasonOf(cause);
  const which = "a server of DATABASE_READ_URL";
  throw new StartError(
    untrustedDatabase(which, reason) ??
      `${which} lets the service look at nothing (${reason}); check the user name, the password and the name of the database, or unset it`,
    { cause },
  );
}

function refuseEngine(cause: unknown): never {
  if (isDatabaseDown(cause)) throw cause;
  throw new StartError(
    "DATABASE_READ_URL is set, but the database of DATABASE_URL does not say which PostgreSQL it is, so its standbys cannot be told from others; let the user run pg_control_system(), or unset DATABASE_READ_URL",
    { cause },
  );
}
