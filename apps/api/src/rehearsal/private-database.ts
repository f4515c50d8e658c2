import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";

/**
 * A rehearsal writes into its database. That of a real installation is at an address, or at a socket that several users
 * reach, so neither is taken: only a socket in a folder that its owner alone can open, which the rehearsal was made for.
 */
export function assertPrivateDatabase({ database }: Pick<Config, "database">) {
  if (database.kind === "pglite") return;
  const folder = socketFolderOf(database.url.open());
  const stats = folder === null ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() && (stats.mode & 0o077) === 0) return;
  throw new StartError(
    "the database of DATABASE_URL may be that of a real installation, and a rehearsal writes into it; restore a copy into a PostgreSQL of its own, whose Unix socket is in a folder with mode 700, and name that: postgres://USER@/DATABASE?host=/path/of/the/folder",
  );
}

/** Null if it is no socket. The driver takes the last of several hosts, so only one may be there. */
function socketFolderOf(text: string): string | null {
  const url = URL.parse(text.replace("@/", "@socket/"));
  const [folder, ...others] = url?.searchParams.getAll("host") ?? [];
  const isNamed = url !== null && url.hostname === "socket" && text.includes("@/");
  if (!isNamed || folder === undefined || others.length > 0) return null;
  return isAbsolute(folder) ? folder : null;
}
