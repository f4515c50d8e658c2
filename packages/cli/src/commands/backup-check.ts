import { besideKeys, complete, opened, pinned, readable } from "../backup/copies.ts";
import type { Given, Surroundings } from "../command.ts";
import { chosenProfile } from "../connection/profiles.ts";
import { type Finding, findingsReport, tried } from "../findings.ts";
import type { Report } from "../output.ts";

/**
 * Whether copies of a service are complete and would open: the root key opens the keyring, its public keys are those that
 * a profile has pinned, and the copy of the database can be read. Nothing is restored and nothing is sent.
 */
export async function backupCheck(given: Given, surroundings: Surroundings): Promise<Report> {
  const [keys, database] = [given.word(0), given.word(1)];
  const findings: Finding[] = [];
  const isComplete = await tried(findings, "keys", surroundings, () => complete(keys));
  findings.push(...(await besideKeys(keys)));
  if (isComplete) {
    const found = await tried(findings, "root key", surroundings, () => opened(keys, surroundings));
    if (found) findings.push(pinned(found, await chosenProfile(given, surroundings.env)));
  }
  await tried(findings, "database", surroundings, () => readable(database));
  return findingsReport(findings);
}
