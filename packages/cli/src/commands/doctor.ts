import { existsSync, statSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import type { Given, Surroundings } from "../command.ts";
import { type Connected, checkUrl, connect } from "../connection/connect.ts";
import { ownFolder } from "../connection/own-folder.ts";
import { chosenProfile, showsPinned } from "../connection/profiles.ts";
import { readReadiness, readServiceFacts, type ServiceFacts } from "../connection/service-facts.ts";
import { InputError } from "../errors.ts";
import { type Finding, findingsReport, tried } from "../findings.ts";
import { plain, type Report } from "../output.ts";

/** The service refuses requests that are 5 minutes ahead, so much less is worth a word. */
const SKEW_MS = 30_000;

/**
 * Looks for the reason why a command does not work: from the files of this machine to an answer for the key. Or looks at an
 * installation as its operator does, from outside, from its own machine, or both.
 */
export async function doctor(given: Given, surroundings: Surroundings): Promise<Report> {
  const options = ["url", "env-file", "backup"].filter((name) => given.option(name) !== undefined);
  if (options.length > 0 || given.has("inside")) return installation(given, surroundings);
  const findings: Finding[] = [modes(surroundings.env)];
  const connected = await tried(findings, "key and profile", surroundings, async () => {
    const found = await connect(given, surroundings);
    const from = found.profile === null ? found.key.path : `profile ${found.profile}`;
    return [found, `${plain(from)}, key ${found.key.publicKey}`];
  });
  if (connected) await lookAt(connected, findings, surroundings);
  return findingsReport(findings);
}

async function installation(given: Given, surroundings: Surroundings): Promise<Report> {
  const findings: Finding[] = [];
  const [url, file, backup] = ["url", "env-file", "backup"].map((name) => given.option(name));
  if (url !== undefined) {
    const { lookFromOutside } = await import("../installation/outside.ts");
    const profile = await chosenProfile(given, surroundings.env);
    const known = { version: manifest.version, profile, clock };
    findings.push(...(await lookFromOutside(checkUrl(url), known, surroundings)));
  }
  const { backupAge, lookFromInside, readEnvironmentFile } = await import(
    "../installation/inside.ts"
  );
  if (given.has("inside") || file !== undefined) {
    const settings = file === undefined ? {} : readEnvironmentFile(file);
    findings.push(...(await lookFromInside(surroundings.env, settings)));
  }
  if (backup !== undefined) findings.push(backupAge(backup, Date.now()));
  return findingsReport(findings);
}

async function lookAt(connected: Connected, findings: Finding[], surroundings: Surroundings) {
  const { url, client } = connected;
  const facts = await tried(findings, "service", surroundings, async () => {
    const found = await readServiceFacts(url);
    return [found, `${url}, version ${plain(found.version)}`];
  });
  if (!facts) return;
  findings.push(clock(facts), pinned(connected, facts));
  await tried(findings, "readiness", surroundings, async () => {
    const status = await readReadiness(url);
    if (status === 200) return [status, "database and signer answer"];
    throw new InputError(
      `/readyz answers ${status}: the database or the signer does not work, look at the log of the service`,
    );
  });
  await tried(findings, "who am I", surroundings, async () => {
    const { username, organizationName } = await client.whoami();
    return [username, `${plain(username)} in ${plain(organizationName)}`];
  });
}

/** Whether others may read the folder of profiles and keys. */
function modes(env: Surroundings["env"]): Finding {
  const folder = ownFolder(env);
  const check = "own folder";
  if (platform() === "win32") return { check, status: "ok", message: folder };
  const open = ["", "profiles", "keys", "encryption-keys"]
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  if (open.length === 0) return { check, status: "ok", message: plain(folder) };
  return {
    check,
    status: "error",
    message: `others may look into ${open.map(plain).join(", ")}: run \`chmod 700 ${open.join(" ")}\``,
  };
}

function clock({ clockMs }: ServiceFacts): Finding {
  const check = "clock";
  if (clockMs === undefined) {
    return { check, status: "warning", message: "the service does not say what time it has" };
  }
  const skewMs = Date.now() - clockMs;
  // The header counts seconds.
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) < SKEW_MS) {
    return { check, status: "ok", message: `within ${Math.max(1, seconds)} s of the service's` };
  }
  const direction = skewMs > 0 ? "ahead of" : "behind";
  return {
    check,
    status: "error",
    message: `the clock of this machine is ${seconds} s ${direction} the service's: set it right, such as with \`timedatectl set-ntp true\``,
  };
}

function pinned(
  { profile, signerPublicKey, quorumPublicKey, pinned: keys }: Connected,
  facts: ServiceFacts,
): Finding {
  const check = "pinned keys";
  if (signerPublicKey === undefined || quorumPublicKey === undefined) {
    const where =
      profile === null ? "the environment names no profile" : `profile ${profile} has none`;
    return {
      check,
      status: "warning",
      message: `${where}: make a profile with \`keyhearth init\``,
    };
  }
  return showsPinned(facts, keys)
    ? { check, status: "ok", message: "the service shows the keys of the profile" }
    : {
        check,
        status: "error",
        message:
          "the service shows other keys than the profile has pinned: do not use it, and ask your operator what has changed",
      };
}
