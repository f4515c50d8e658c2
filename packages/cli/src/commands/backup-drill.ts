import { copyFile, mkdir, stat } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { restoreArchive } from "../backup/archive.ts";
import { findPostgres, postgresMissing, restoreDump } from "../backup/cluster.ts";
import {
  askSigner,
  besideKeys,
  complete,
  type DatabaseCopy,
  hasPinned,
  opened,
  type PublicKeys,
  pinned,
  REQUIRED,
  readable,
} from "../backup/copies.ts";
import { readMinutes, watchForEnds } from "../backup/ends.ts";
import { assertRoom, inMb, makePlace } from "../backup/place.ts";
import { type CopyFacts, type RunningCopy, startRehearsal } from "../backup/rehearsal.ts";
import { findAccount, type Signed, signWith } from "../backup/sign.ts";
import type { Given, Surroundings } from "../command.ts";
import { checkId, newClient } from "../connection/connect.ts";
import { findKeyFile, loadKey } from "../connection/key-files.ts";
import { chosenProfile, namedProfile, type Profile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import { type Finding, findingsReport, tried } from "../findings.ts";
import { count, plain, type Report } from "../output.ts";

/** Large databases take an hour. */
const MINUTES = 120;

/** What a drill has found out, for programs. */
type Outcome = {
  findings: Finding[];
  copy?: Omit<CopyFacts, "url">;
  signature?: Signed;
  seconds?: number;
};

type Drill = {
  readonly given: Given;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
  /** Where the copies are restored. */
  readonly base: string;
  /** Called in reverse order, whatever happens. */
  readonly closers: (() => Promise<void>)[];
  readonly outcome: Outcome;
};

/**
 * Restores copies of a service into a temporary place, opens every key there, and signs with one of them. The copies stay
 * as they are, nothing is sent, and the place is removed at the end.
 */
export async function backupDrill(given: Given, surroundings: Surroundings): Promise<Report> {
  const startedAt = performance.now();
  const base = given.option("directory") ?? tmpdir();
  const minutes = readMinutes(given.option("minutes"), MINUTES);
  const { signal, finding, stop } = watchForEnds({ base, minutes });
  const closers: Drill["closers"] = [];
  const outcome: Outcome = { findings: [] };
  const { findings } = outcome;
  try {
    await drill({ given, surroundings, signal, base, closers, outcome });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    const end = finding();
    // What failed then, failed because it was ended.
    if (end) findings.splice(0, findings.length, ...findings.filter(isPassed), end);
    surroundings.progress.show("removing the restored copy");
    for (const close of closers.reverse()) {
      await tried(findings, "place", surroundings, async () => [await close(), null]);
    }
    stop();
  }
  if (signal.aborted && !finding()) return stopped(signal);
  outcome.seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return reportOf(outcome);
}

async function drill(drill: Drill): Promise<void> {
  const { given, surroundings, signal, base, closers, outcome } = drill;
  const { env, progress } = surroundings;
  const { findings } = outcome;
  const [keys, file] = [given.word(0), given.word(1)];
  const bin = await findPostgres(env);
  const findProgram = (name: string) =>
    name === "pg_restore" && bin !== undefined ? join(bin, name) : name;

  progress.show("looking at the copies");
  const isComplete = await tried(findings, "keys", surroundings, () => complete(keys));
  findings.push(...(await besideKeys(keys)));
  const database = await tried(findings, "database", surroundings, () =>
    readable(file, { findProgram, signal }),
  );
  const publicKeys =
    isComplete &&
    (await tried(findings, "root key", surroundings, () => opened(keys, surroundings, base)));
  if (!database || !publicKeys) return;
  const profile = await chosenProfile(given, env);
  findings.push(pinned(publicKeys, profile));
  if (isFailed(findings)) return;

  const restored = await tried(findings, "restore", surroundings, async () => {
    const { size } = await stat(file);
    await assertRoom(base, size);
    const place = await makePlace(base);
    closers.push(place.remove);
    const data = join(place.folder, "data");
    progress.show(`restoring ${inMb(size)} of the database`);
    await mkdir(join(data, "signer"), { recursive: true, mode: 0o700 });
    const url = await restoreDatabase(database, { ...drill, bin, data });
    await restoreKeys(keys, data, surroundings);
    const settings = { KEYHEARTH_DATA_DIR: data, ...(url !== undefined && { DATABASE_URL: url }) };
    return [settings, `into ${plain(place.folder)}, which is removed at the end`];
  });
  if (!restored || signal.aborted) return;

  progress.show("starting the service on the restored copy");
  const copy = await tried(findings, "keys opened", surroundings, async () => {
    const onProgress = (text: string) => progress.show(text);
    const found = await startRehearsal(restored, { env, signal, closers, onProgress });
    return [found, sentenceOf(found)];
  });
  if (!copy) return;
  const { url: _, alarms, ...facts } = copy;
  outcome.copy = facts;
  findings.push({
    check: "last activity",
    status: "ok",
    message: facts.lastActivityAt ?? "there was none",
  });
  for (const message of alarms) findings.push({ check: "alarm", status: "error", message });
  progress.show("signing");
  await sign(copy, publicKeys, profile, drill);
}

function isFailed(findings: readonly Finding[]): boolean {
  return !findings.every(isPassed);
}

function isPassed({ status }: Finding): boolean {
  return status !== "error";
}

function sentenceOf(copy: CopyFacts): string {
  const keys = [
    count(copy.wallets, "wallet"),
    `${count(copy.accounts, "account")}`,
    `${count(copy.keysWithoutWallet, "private key")}`,
  ];
  return `${keys.join(", ")} of ${count(copy.organizations, "organization")} are the signer's own`;
}

type Restoring = Drill & {
  readonly bin: string | undefined;
  readonly data: string;
};

/** Returns the URL of a database in PostgreSQL. */
async function restoreDatabase(
  { kind, file }: DatabaseCopy,
  { base, bin, data, surroundings, signal, closers }: Restoring,
): Promise<string | undefined> {
  if (kind === "postgres") {
    if (bin === undefined) throw postgresMissing();
    return restoreDump(file, { bin, base, env: surroundings.env, signal, closers });
  }
  await restoreArchive(file, data, signal);
  return undefined;
}

/** As restore-keys.sh does. The signer has no marks, so it is told that its database was restored. */
async function restoreKeys(keys: string, data: string, { env }: Surroundings): Promise<void> {
  const state = join(data, "signer");
  for (const name of REQUIRED) await copyFile(join(keys, name), join(state, name));
  const courier = join(keys, "courier");
  // A pipe in its place would wait for a writer.
  const found = await stat(courier).catch(() => undefined);
  if (found?.isFile()) await copyFile(courier, join(state, "courier")).catch(() => {});
  const now = new Date().toISOString();
  await askSigner(["accept-restored-database", now, "--state", state], env);
}

/** Whose request the restored copy is asked to decide. */
type Signer = {
  readonly keyFile: string;
  readonly organizationId: string | undefined;
  /** Whether somebody asked for this key. */
  readonly isNamed: boolean;
};

/** The key that was named, or one that is there anyway: that of the copies, or of a profile of the same service. */
async function findSigner(
  keys: string,
  publicKeys: PublicKeys,
  profile: Profile | undefined,
  { given, surroundings: { env } }: Drill,
): Promise<Signer | undefined> {
  const isNamed = namedProfile(given, env) !== undefined;
  if (profile && isNamed) return { ...profile, isNamed };
  if (env.KEYHEARTH_ROOT_KEY) {
    return { keyFile: env.KEYHEARTH_ROOT_KEY, organizationId: undefined, isNamed: true };
  }
  const beside = join(keys, "root-api-key.json");
  if ((await stat(beside).catch(() => undefined))?.isFile()) {
    return { keyFile: beside, organizationId: undefined, isNamed: false };
  }
  return profile && hasPinned(profile, publicKeys) ? { ...profile, isNamed: false } : undefined;
}

async function sign(
  { url }: RunningCopy,
  publicKeys: PublicKeys,
  profile: Profile | undefined,
  drill: Drill,
): Promise<void> {
  const { given, surroundings, outcome } = drill;
  const { env, asked } = surroundings;
  const check = "signature";
  const signer = await findSigner(given.word(0), publicKeys, profile, drill);
  if (!signer) {
    const remedy = "name a profile with --profile, or put root-api-key.json beside the keys";
    const message = `nothing was signed, because no key of a user is here: ${remedy}`;
    return void outcome.findings.push({ check, status: "warning", message });
  }
  const own: Finding[] = [];
  const signed = await tried(own, check, surroundings, async () => {
    const key = await loadKey(await findKeyFile(signer.keyFile, env));
    const organizationId = checkId(
      given.option("organization-id") ?? signer.organizationId ?? key.organizationId,
      key.path,
    );
    const { quorumPublicKey } = publicKeys;
    // Addresses count only if the quorum key of the keys' copy has proven them.
    const client = newClient({ url, organizationId, key, quorumPublicKey }, asked);
    Object.assign(asked, { url, client });
    const address = given.option("with");
    const account = await findAccount(client, address);
    if (account) {
      const found = await signWith(client, account);
      return [found, `${plain(found.address)} signed, and the signature verifies`];
    }
    throw new InputError(
      address === undefined
        ? `organization ${organizationId} has no account: name one that has, such as a sub-organization, with --organization-id and the profile of a user there`
        : `organization ${organizationId} has no account ${plain(address)}: \`keyhearth accounts list\` shows those of the service`,
    );
  });
  if (signed) outcome.signature = signed;
  // Nobody asked for this key, so that it does not sign is not a fault of the copies.
  const isFault = signer.isNamed || given.option("with") !== undefined;
  outcome.findings.push(
    ...own.map((finding): Finding => {
      if (finding.status !== "error") return finding;
      const message = `nothing was signed with the key ${plain(signer.keyFile)}: ${finding.message}`;
      return { check, message, status: isFault ? "error" : "warning" };
    }),
  );
}

function reportOf(outcome: Outcome): Report {
  const { exitCode, text } = findingsReport(outcome.findings);
  const { findings, copy = null, signature = null, seconds = 0 } = outcome;
  const last =
    exitCode !== 0
      ? "the copies did not pass"
      : signature === null
        ? "the copies restore and their keys open; nothing was signed"
        : "the copies restore, their keys open, and one of them signed";
  return {
    exitCode,
    json: { findings, copy, signature, seconds },
    text: (paint) => `${text(paint)}\n${last} (${seconds} s)`,
  };
}

/** What a shell reports for a process that a signal ended. */
function stopped({ reason }: AbortSignal): Report {
  const number = constants.signals[String(reason) as NodeJS.Signals] ?? 0;
  const message = "stopped: the restored copy is removed, and the copies are as they were";
  return { exitCode: 128 + number, json: { error: { message } }, text: () => message };
}
