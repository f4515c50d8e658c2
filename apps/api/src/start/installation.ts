import type { Description } from "@keyhearth/engine/core/protocol";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import type { Host } from "../host/host.ts";
import type { Store } from "../store/connect.ts";
import { bindInstallation, findInstallationId } from "../store/installation.ts";
import { findDocument, findRootOrganizationId, hasOrganizations } from "../store/organizations.ts";
import { describeSigner } from "./open-signer.ts";

/**
 * Makes sure that database and signer belong together, and that a new root organization is founded only
 * where nothing was before. The database keeps the id of the signer's keyring. Returns the signer's
 * description.
 *
 * Invariant: the signer is asked before the database is read. What it has seen was committed before, so
 * the answers cannot contradict each other because another process is founding the root meanwhile.
 */
export async function checkInstallation(config: Config, host: Host): Promise<Description> {
  const signer = await describeSigner(host);
  const { db } = host.store;
  const isEmpty = !(await hasOrganizations(db));
  const found = await findInstallationId(db);
  if (found !== undefined) assertSame(config, found, signer.installationId);
  if (isEmpty && !signer.isNew) throw databaseLost(config, signer.installationId);
  if (found !== undefined) return signer;

  // A database from before installations had ids proves by its records whose it is.
  if (!isEmpty) await assertOwnRecords(config, host, signer.installationId);
  assertSame(
    config,
    await bindInstallation(host.store, signer.installationId),
    signer.installationId,
  );
  return signer;
}

/** Whether a database that has an id has that of the signer. For what only looks, and founds nothing. */
export async function assertTogether(config: Config, { db }: Store, installationId: string) {
  // It may have no tables yet.
  const found = await findInstallationId(db).catch(() => undefined);
  if (found !== undefined) assertSame(config, found, installationId);
}

async function assertOwnRecords(config: Config, host: Host, installationId: string) {
  const rootId = await findRootOrganizationId(host.store.db);
  const root = rootId === undefined ? undefined : await findDocument(host.store.db, rootId);
  if (!root) throw rootMissing(config);
  const { isOwn } = await describeSigner(host, { attachments: [root.bytes] });
  if (isOwn) return;
  throw new StartError(
    `the records of ${databaseOf(config)} were not made with the signer's state of installation ${installationId}; ${bringTogether(config)}`,
  );
}

function assertSame(config: Config, found: string, installationId: string) {
  if (found === installationId) return;
  throw new StartError(
    `${databaseOf(config)} belongs to installation ${found}, but the signer's state to installation ${installationId}; ${bringTogether(config)}`,
  );
}

export function databaseLost(config: Config, installationId: string): StartError {
  return new StartError(
    `${databaseOf(config)} is empty, but the signer's state of installation ${installationId} has been in use; restore the database that belongs to it, or begin another installation with a new ${placesOf(config).join(" and a new ")}`,
  );
}

export function rootMissing(config: Config): StartError {
  return new StartError(
    `${databaseOf(config)} has organizations, but its root organization is missing; restore the database from a backup`,
  );
}

function databaseOf({ database }: Config): string {
  return database.kind === "postgres"
    ? "the database of DATABASE_URL"
    : `the embedded database in ${database.directory}`;
}

function bringTogether(config: Config): string {
  return `set ${placesOf(config).join(" and ")} to a database and a signer that belong together`;
}

/** The variables that say where database and signer are. */
function placesOf({ database, signer }: Config): string[] {
  const ofSigner = signer.kind === "socket" ? "KEYHEARTH_SIGNER" : "KEYHEARTH_DATA_DIR";
  return database.kind === "postgres"
    ? ["DATABASE_URL", ofSigner]
    : [...new Set(["KEYHEARTH_DATA_DIR", ofSigner])];
}
