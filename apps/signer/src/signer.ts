import { existsSync, linkSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { loadHasher } from "@keyhearth/crypto/primitives/node-keccak";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { createCore, createSharedMemory } from "@keyhearth/engine/door/create-core";
import { toErrorMessage } from "@keyhearth/engine/errors";
import type { Verdicts } from "@keyhearth/engine/people/attestation-statements";
import type { ExchangeCode } from "@keyhearth/engine/people/code-exchanges";
import { installationIdOf } from "@keyhearth/engine/vault/ids";
import { createKeyring, type Keyring } from "@keyhearth/engine/vault/keyring";
import {
  deriveQuorumKeys,
  sessionPublicKey,
  signerPublicKey,
  verificationPublicKey,
} from "@keyhearth/engine/vault/quorum-key";
import { deriveWebhookKey } from "@keyhearth/engine/vault/webhook-key";
import {
  beginAgain,
  type ClockMemory,
  FIRST_BEGINNING,
  moveClock,
  newClock,
} from "./clock/accepted-times.ts";
import { createClock, type Machine, readStatedTime, theMachine } from "./clock/clock.ts";
import { createTime } from "./clock/time.ts";
import { createMarks } from "./marks/marks.ts";
import { createMarksFile, type MarksFileOptions, openMarksFile } from "./marks/marks-file.ts";
import { type MarksStore, UNSHARED } from "./marks/marks-store.ts";
import { createBoundedExchange } from "./oauth2/bounded.ts";
import { createCodeExchange } from "./oauth2/exchange.ts";
import { type Provider, parseProviders } from "./oauth2/providers.ts";
import { createRememberedExchange } from "./oauth2/remembered.ts";
import { type Issuer, parseIssuers } from "./oidc/issuers.ts";
import { createTokenVerifier, type TokenVerifier } from "./oidc/verify-tokens.ts";
import type { EtcdAddress } from "./replication/etcd.ts";
import { beginHistory, type SharedSigner, shareMarks } from "./replication/shared-signer.ts";
import { createRootKeyFile, readRootKeyFile } from "./root-key/file.ts";
import { openTrustedCourier, readTrustedCourier, trustCourier } from "./state/courier-file.ts";
import { assertRoom, attempt, createDisk, writeMarks } from "./state/disk.ts";
import { renameDurably, syncDirectoryOf } from "./state/durable-file.ts";
import { assertKnownForm, keepForm } from "./state/form-file.ts";
import { readKeyringFile, writeKeyringFile } from "./state/keyring-file.ts";
import { markAsNew, openNewInstallation } from "./state/new-installation.ts";
import { listMoves, openNewestDocuments } from "./state/newest-file.ts";
import { countStart } from "./state/starts-file.ts";
import { assertOwner, tightenStateDirectory } from "./state/state-directory.ts";
import { LostMarksError, SignerStateError } from "./state/state-error.ts";
import { explainStateErrors, hasFile, makeDirectory } from "./state/state-files.ts";
import { answerVerified } from "./turns/answer-verified.ts";
import type { Handled, Hints } from "./turns/fair-queue.ts";
import { createDeciders, workerFor } from "./workers/decide.ts";
import type { Threads, ThreadsOptions } from "./workers/threads.ts";

export type SignerOptions = {
  /** The directory of the root key, the keyring and the marks. */
  stateDirectory: string;
  /** May a missing root key be created? Never if the database has records. */
  mayCreate: boolean;
  /** The flag with which an operator allows it. Without one, a key that may not be created was lost. */
  createFlag?: string;
  /**
   * May the host name the first courier although this installation has been in use? Only a host that
   * shares the signer's process.
   */
  trustsHost?: boolean;
  machine?: Machine;
  log: (event: CoreEvent) => void;
  /** Whose OpenID Connect tokens count. The presets by default. */
  issuers?: readonly Issuer[];
  /** Where codes of providers that only speak OAuth 2.0 are exchanged. The presets by default. */
  providers?: readonly Provider[];
  /** How often the signer's process had no file descriptor left, if it is a process of its own. */
  shortages?: () => number;
  /** It only describes itself, so nobody counts its start. */
  isStandby?: boolean;
  /** Opens the marks at this path. Those of this machine alone by default. */
  openMarks?: (path: string, options: MarksFileOptions) => MarksStore;
  /** Starts the threads that decide beside this one. Without it, this one does all. */
  startThreads?: StartThreads | undefined;
  verifyTokens?: TokenVerifier;
  exchangeCode?: ExchangeCode;
};

export type StartThreads = (own: Pick<ThreadsOptions, "keyring" | "log">) => Threads;

export type Signer = Workers & {
  /** The answer, or the rest of the work once attestation statements and tokens have been verified. */
  answer(request: Request, hints?: Hints): Handled;
  /** The answer to a request without attestation statements and tokens. */
  handle(request: Request): Answer;
  close(): void;
};

/** The threads that decide for a signer, if it has any. */
export type Workers = {
  readonly workers: number;
  /** Which of them a call is for: counted from one, or 0 for the thread that asks. */
  workerFor(request: Request, organizationId: string): number;
  /** Resolves when they can work. Rejects with a `SignerStateError` if one cannot. */
  readonly started: Promise<void>;
};

/** Opens the signer's state and starts the trusted core with it. Throws only `SignerStateError`. */
export function openSigner(options: SignerOptions): Signer {
  return explainStateErrors(options.stateDirectory, () => openState(options));
}

function openState({
  stateDirectory,
  mayCreate,
  createFlag,
  trustsHost = false,
  machine = theMachine,
  log,
  issuers = parseIssuers(),
  providers = parseProviders(),
  shortages,
  isStandby = false,
  openMarks = openMarksOfThisMachine,
  startThreads,
  verifyTokens = createTokenVerifier(issuers),
  exchangeCode = createRememberedExchange(createBoundedExchange(createCodeExchange(providers))),
}: SignerOptions): Signer {
  // Without it, large payloads would be hashed in JavaScript until the first of them was.
  void loadHasher();
  const paths = pathsIn(stateDirectory);
  assertKnownForm(stateDirectory, paths.form);
  const rootKey = openRootKey(paths, { stateDirectory, mayCreate, createFlag });
  const keyring = openKeyring(paths, rootKey, { mayCreate });
  const unwritten = attempt(() => keepForm(paths.form));
  // A state without the file is in the first form, so the next start may write it.
  if (unwritten) log({ event: "the form of the state was not written", cause: unwritten });
  const installation = openNewInstallation(paths.newInstallation, installationIdOf(keyring));
  const courier = openTrustedCourier(paths.courier, () => trustsHost || installation.isNew());
  const disk = createDisk(log);
  const store = openMarks(paths.marks, { keyring, log });
  const time = createTime(store.clock(), machine, {
    log,
    keep: (latestMs, accepted) =>
      disk.write(() => {
        if (disk.hasFailed()) assertRoom(stateDirectory);
        store.rememberClock(latestMs, accepted);
      }),
  });
  const newest = openNewestDocuments(paths.newest, log);
  const marks = listMoves(writeMarks(createMarks(store), disk, installation), newest);
  const threads = startThreads?.({ keyring, log });
  const count = threads?.count ?? 0;
  const shared = { ...createSharedMemory(randomBytes), cores: 1 + count };
  const common = { marks, now: time.now, time, log, courierKey: courier.key, shared };
  const core = createCore({
    ...common,
    keyring,
    random: randomBytes,
    isNew: installation.isNew,
    // Everything else is open, so this is a start and not an attempt at one.
    start: { number: countStart(paths.starts, log, { isStandby }), atMs: machine.now() },
  });
  const decide = threads && createDeciders(threads, { ...common, verifyTokens, exchangeCode });
  const forWorker = (request: Request, organizationId: string) =>
    workerFor(request, organizationId, count);
  const beat = () => {
    const cause = attempt(time.remember);
    // A full disk is logged once.
    if (cause && !disk.hasFailed()) log({ event: "the clock was not remembered", cause });
    newest.keep();
  };
  const heartbeat = setInterval(beat, 10_000);
  heartbeat.unref();

  /** A description, with what the core does not know of its signer. */
  function completed(answer: Answer): Answer {
    if (answer.kind !== "description") return answer;
    const known = { ...answer, newest: newest.list() };
    return shortages ? { ...known, shortages: shortages() } : known;
  }

  function handle(request: Request, verdicts?: Verdicts): Answer {
    // Asks whether the signer is ready. After a write has failed, only another one can tell.
    if (request.call === "describe" && disk.hasFailed()) {
      const failure = attempt(time.remember);
      if (failure) return { kind: "error", error: toErrorMessage(failure) };
    }
    if (request.call !== "describe" || request.courierKey === undefined) {
      return completed(core(request, verdicts));
    }
    const refusal = attempt(() => courier.offer(request.courierKey ?? ""));
    if (!refusal) return completed(core(request, verdicts));
    const error = toErrorMessage(refusal);
    log({ event: "refused", call: request.call, ...error, cause: refusal });
    return { kind: "error", error };
  }

  return {
    handle: (request) => handle(request),
    answer(request, hints = NO_HINTS) {
      if (decide && forWorker(request, hints.organizationId) > 0) return decide(request, hints);
      return answerVerified({ core: handle, verifyTokens, exchangeCode }, request, new Map());
    },
    workers: count,
    workerFor: forWorker,
    started: threads?.started ?? Promise.resolve(),
    close() {
      void threads?.close();
      clearInterval(heartbeat);
      beat();
      store.close();
    },
  };
}

const NO_HINTS: Hints = { organizationId: "", familyId: "" };

/**
 * Opens the state of one of several signers of an installation, which share their marks in etcd. It decides once no other
 * one does. Throws only `SignerStateError`.
 */
export function openSharedSigner(
  options: SignerOptions & { etcd: EtcdAddress; name: string; silenceMs?: number },
): SharedSigner & Workers {
  const {
    stateDirectory,
    mayCreate,
    createFlag,
    log,
    machine,
    etcd,
    name,
    silenceMs,
    startThreads,
  } = options;
  return explainStateErrors(stateDirectory, () => {
    const paths = pathsIn(stateDirectory);
    assertKnownForm(stateDirectory, paths.form);
    const rootKey = openRootKey(paths, { stateDirectory, mayCreate, createFlag });
    const keyring = openKeyring(paths, rootKey, { mayCreate });
    const local = openSharedMarks(paths.marks, { keyring, log });
    // A standby has them ready. They end with this signer, and not with its term.
    const threads = startThreads?.({ keyring, log });
    const count = threads?.count ?? 0;
    const ofOthers = threads && { ...threads, close: async () => {} };
    const start = (marks: MarksStore, isStandby: boolean) => {
      // The marks of others show that the installation is in use.
      const [first] = local.buckets();
      if (first) openNewInstallation(paths.newInstallation, installationIdOf(keyring)).use();
      const standing = isStandby && { machine: withoutClock(local, machine) };
      const more = { startThreads: ofOthers && !isStandby ? () => ofOthers : undefined };
      return openSigner({ ...options, ...standing, ...more, isStandby, openMarks: () => marks });
    };
    // It is asked for many times a second, and never replaced while a signer runs.
    let trusted: string | null = null;
    const courier = {
      key() {
        trusted ??= readTrustedCourier(paths.courier);
        return trusted;
      },
      adopt: (publicKey: string) => trustCourier(paths.courier, publicKey),
    };
    const optional = {
      ...(machine && { machine }),
      ...(silenceMs !== undefined && { silenceMs }),
      ...(threads && { ready: threads.started }),
    };
    const signer = shareMarks({ etcd, name, keyring, local, start, courier, log, ...optional });
    return {
      ...signer,
      workers: count,
      workerFor: (request, organizationId) => workerFor(request, organizationId, count),
      started: threads?.started ?? Promise.resolve(),
      async close() {
        await signer.close();
        await threads?.close();
      },
    };
  });
}

/**
 * Has a history of shared marks begin with those of this signer, which an operator knows to be the newest. All signers
 * have been stopped. Without an etcd this signer goes on alone.
 */
export async function shareMarksOf(stateDirectory: string, address: EtcdAddress | null) {
  const { keyring, local } = inOwnState(stateDirectory, (paths) => {
    const keyring = readKeyringFile(paths.keyring, readRootKeyFile(paths.rootKey));
    return { keyring, local: openMarksFile(paths.marks, { keyring, log: () => {} }) };
  });
  try {
    if (address) await beginHistory(address, { keyring, local });
    else local.follow(new Map(), null);
    local.sync();
  } finally {
    local.close();
  }
}

/** A standby decides nothing, so it judges no clock: it may stand by for months. */
function withoutClock(local: MarksStore, machine: Machine = theMachine): Machine {
  const fixedMs = local.clockMs() || machine.now();
  return { ...machine, now: () => fixedMs };
}

/** The keys that clients pin, read on the machine that holds their secrets. Changes nothing. */
export function readPublicKeys(stateDirectory: string): {
  signerPublicKey: string;
  quorumPublicKey: string;
  sessionPublicKey: string;
  verificationPublicKey: string;
  webhookPublicKey: string;
} {
  const paths = pathsIn(stateDirectory);
  return explainStateErrors(stateDirectory, () => {
    assertState(stateDirectory, paths);
    const keyring = readKeyringFile(paths.keyring, readRootKeyFile(paths.rootKey));
    return {
      signerPublicKey: signerPublicKey(keyring),
      quorumPublicKey: deriveQuorumKeys(keyring).publicKey,
      sessionPublicKey: sessionPublicKey(keyring),
      verificationPublicKey: verificationPublicKey(keyring),
      webhookPublicKey: encodeHex(deriveWebhookKey(keyring).publicKey),
    };
  });
}

/**
 * After the database was restored from a backup, the signer would refuse every document as stale.
 * The operator accepts it on the signer's machine while the signer is stopped. This puts the old
 * marks aside and starts new ones, but keeps what is remembered of the clock. If that is lost, the operator says what
 * time it is, and the machine says the same.
 */
export function acceptRestoredDatabase(
  stateDirectory: string,
  stated = "",
  {
    now = theMachine.now,
    isShared = false,
  }: Partial<Pick<Machine, "now">> & { isShared?: boolean } = {},
): Restored {
  const statedMs = stated === "" ? null : readStatedTime(stated, now());
  const believe = (latestMs: number) =>
    latestMs > 0 ? asAtStart(latestMs, now) : orThrow(statedMs);
  return explainStateErrors(stateDirectory, () =>
    beginNewMarks(stateDirectory, { believe, isShared }),
  );
}

type Restored = { setAside: string | null; beganAtMs: number; isShared: boolean };

function beginNewMarks(
  stateDirectory: string,
  { believe, isShared }: { believe: (latestMs: number) => number; isShared: boolean },
): Restored {
  const paths = pathsIn(stateDirectory);
  if (!hasFile(paths.rootKey) || !hasFile(paths.keyring)) {
    throw new SignerStateError(`there are no marks in ${stateDirectory}; nothing was changed`);
  }
  assertOwner(stateDirectory);
  assertKnownForm(stateDirectory, paths.form);
  const keyring = readKeyringFile(paths.keyring, readRootKeyFile(paths.rootKey));
  const old = readTimes(paths.marks, keyring);
  const nowMs = believe(old.clock.latestMs);
  // If this is too late, the signer will refuse the right time. To go on, its operator takes both back.
  const clock = moveClock(old.clock, nowMs);
  const aside = `${paths.marks}.before-restore-${nowMs}`;
  const setAside = hasFile(paths.marks) ? aside : null;
  if (setAside !== null) renameDurably(paths.marks, setAside);
  // It is left only if the marks are damaged.
  const log = `${paths.marks}-wal`;
  if (hasFile(log)) renameDurably(log, `${aside}-wal`);
  const beginning = beginAgain(old.beginning, clock);
  // If others follow other marks, these are shared first.
  const followed = old.isShared || isShared ? UNSHARED : null;
  createMarksFile(paths.marks, keyring, { clock, beginning, followed });
  // What it lists is no longer known.
  rmSync(paths.newest, { force: true });
  return { setAside, beganAtMs: nowMs, isShared: followed !== null };
}

/** The machine's time, if a start would believe it: what is made until then will count with less. */
function asAtStart(latestMs: number, now: Machine["now"]): number {
  try {
    return createClock({ ...theMachine, now }, latestMs).peek();
  } catch (cause) {
    throw new SignerStateError(`${toErrorMessage(cause).message}; nothing was changed`, { cause });
  }
}

function orThrow(statedMs: number | null): number {
  if (statedMs !== null) return statedMs;
  throw new SignerStateError(
    "nothing is left of the signer's clock to compare the machine's time with: state what time it is by another clock in UTC, such as `npm run signer -- accept-restored-database 2026-01-31T09:30Z`; nothing was changed",
  );
}

/** Has messages sealed to this courier from the next start on. For an operator on the signer's machine. */
export function trustCourierIn(stateDirectory: string, publicKey: string) {
  inOwnState(stateDirectory, ({ courier }) => trustCourier(courier, publicKey));
}

/** For a command of the operator, on a state that is there and belongs to this user. */
export function inOwnState<Result>(stateDirectory: string, run: (paths: Paths) => Result): Result {
  const paths = pathsIn(stateDirectory);
  return explainStateErrors(stateDirectory, () => {
    assertState(stateDirectory, paths);
    assertOwner(stateDirectory);
    return run(paths);
  });
}

/** As of a signer that has never worked, if the marks are lost. */
function readTimes(path: string, keyring: Keyring) {
  try {
    const store = openMarksFile(path, { keyring, log: () => {} });
    const isShared = store.followed() !== null;
    const times = { clock: store.clock(), beginning: store.beginning(), isShared };
    store.close();
    return times;
  } catch (error) {
    if (!(error instanceof LostMarksError)) throw error;
    return { clock: newClock(0), beginning: FIRST_BEGINNING, isShared: false };
  }
}

/**
 * The operator says what time it is, and the machine says the same. The signer goes on from there, although it has
 * worked at a later time, or has been stopped for too long to believe it.
 */
export function acceptClock(
  stateDirectory: string,
  stated: string,
  { now }: Pick<Machine, "now"> = theMachine,
): { fromMs: number; toMs: number; refused: ClockMemory["refused"]; isShared: boolean } {
  const toMs = readStatedTime(stated, now());
  return inOwnState(stateDirectory, (paths) => {
    const keyring = readKeyringFile(paths.keyring, readRootKeyFile(paths.rootKey));
    const store = openMarksFile(paths.marks, { keyring, log: () => {} });
    try {
      const before = store.clock();
      const after = moveClock(before, toMs);
      const followed = store.followed();
      const isShared = followed !== null;
      // First, so that no start follows what the others say, and the clock is as before.
      if (isShared) store.follow(new Map(), { ...followed, history: UNSHARED.history });
      store.replaceClock(after);
      return { fromMs: before.latestMs, toMs, refused: after.refused, isShared };
    } finally {
      store.close();
    }
  });
}

/** Marks that others follow too are the newest only with theirs. */
function openMarksOfThisMachine(path: string, options: MarksFileOptions): MarksStore {
  const store = openMarksFile(path, options);
  if (store.followed() === null) return store;
  store.close();
  throw new SignerStateError(
    "this signer shares its marks with others in etcd, so it must not decide alone: set --marks or KEYHEARTH_MARKS as before, or, if it is the only one left, run `npm run signer -- share-marks --marks local`",
  );
}

/** A signer that shares its marks can have those of another one, which a new beginning would leave. */
function openSharedMarks(path: string, options: MarksFileOptions) {
  try {
    return openMarksFile(path, options);
  } catch (cause) {
    if (!(cause instanceof LostMarksError)) throw cause;
    throw new SignerStateError(
      `the marks ${path} are ${cause.what}, and this signer shares them with others: stop one that works, and copy its state directory to this machine once more; if no signer has its marks, see \`accept-restored-database\` and \`share-marks\` in --help`,
      { cause },
    );
  }
}

function assertState(stateDirectory: string, { rootKey, keyring, form }: Paths) {
  assertKnownForm(stateDirectory, form);
  if (hasFile(rootKey) && hasFile(keyring)) return;
  throw new SignerStateError(
    `there is no root key and keyring in ${stateDirectory}; point --state at the signer's state directory`,
  );
}

type Paths = PathsOfDoor &
  Record<
    "rootKey" | "keyring" | "marks" | "newInstallation" | "newest" | "courier" | "starts" | "form",
    string
  >;

/** Who may connect from other machines. */
export type PathsOfDoor = Record<"doorKey" | "nextDoorKey" | "peers", string>;

function pathsIn(stateDirectory: string): Paths {
  return {
    rootKey: join(stateDirectory, "root-key"),
    keyring: join(stateDirectory, "keyring"),
    marks: join(stateDirectory, "marks"),
    newInstallation: join(stateDirectory, "new-installation"),
    newest: join(stateDirectory, "newest-documents"),
    courier: join(stateDirectory, "courier"),
    starts: join(stateDirectory, "starts"),
    form: join(stateDirectory, "form"),
    doorKey: join(stateDirectory, "door-key"),
    nextDoorKey: join(stateDirectory, "next-door-key"),
    peers: join(stateDirectory, "peers"),
  };
}

type RootKeyOptions = Pick<SignerOptions, "stateDirectory" | "mayCreate" | "createFlag">;

function openRootKey(
  paths: Paths,
  { stateDirectory, mayCreate, createFlag }: RootKeyOptions,
): SecretBytes {
  if (!hasFile(paths.rootKey)) {
    const isUsed = hasFile(paths.keyring) || hasFile(paths.marks);
    if (!isUsed && !mayCreate && createFlag) throw noKeysYet(stateDirectory, createFlag);
    if (isUsed || !mayCreate) throw rootKeyMissing(paths.rootKey);
    makeDirectory(stateDirectory);
    tightenStateDirectory(stateDirectory);
    createRootKey(paths.rootKey);
    syncDirectoryOf(stateDirectory);
  }
  tightenStateDirectory(stateDirectory);
  dropFirstName(paths.rootKey);
  return readRootKeyFile(paths.rootKey);
}

/** Takes the name only once the key is whole, so that a killed start leaves no half of one. */
function createRootKey(path: string) {
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  createRootKeyFile(unfinished);
  // Unlike a rename, a link never replaces a key.
  linkSync(unfinished, path);
  rmSync(unfinished);
  syncDirectoryOf(path);
}

/** A start that was killed between the link and the removal leaves the key under both names. */
function dropFirstName(path: string) {
  const unfinished = `${path}.new`;
  const inodeOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.ino;
  if (inodeOf(unfinished) !== undefined && inodeOf(unfinished) === inodeOf(path))
    rmSync(unfinished);
}

function openKeyring(
  paths: Paths,
  rootKey: SecretBytes,
  { mayCreate }: Pick<SignerOptions, "mayCreate">,
): Keyring {
  if (!hasFile(paths.keyring)) {
    // A first start may have been killed before the keyring was there: then nothing is protected yet.
    const isUsed = hasFile(paths.marks) && !hasFile(paths.newInstallation);
    if (!mayCreate || isUsed) throw keyringMissing(paths.keyring);
    const keyring = createKeyring(randomBytes);
    markAsNew(paths.newInstallation, installationIdOf(keyring));
    // Invariant: where there is a keyring there were marks.
    createMarksFile(paths.marks, keyring);
    writeKeyringFile(paths.keyring, rootKey, keyring);
  }
  return readKeyringFile(paths.keyring, rootKey);
}

function noKeysYet(stateDirectory: string, createFlag: string): SignerStateError {
  const isEmpty = !existsSync(stateDirectory) || readdirSync(stateDirectory).length === 0;
  const what = isEmpty ? "is empty" : "holds no keys";
  return new SignerStateError(
    `the state directory ${stateDirectory} ${what}; for a new installation with an empty database, start the signer once with ${createFlag}, which creates its keys; otherwise restore them from a backup, or point --state at the directory that holds them`,
  );
}

function rootKeyMissing(path: string): SignerStateError {
  return new SignerStateError(
    `the root key ${path} is missing, but there are records that it protects; restore it from a backup or point KEYHEARTH_SIGNER_STATE at the directory that holds it`,
  );
}

function keyringMissing(path: string): SignerStateError {
  return new SignerStateError(
    `the root key is there but the keyring ${path} is missing; restore it from a backup`,
  );
}
