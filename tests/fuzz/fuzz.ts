import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { newKey } from "@keyhearth/api/testing";
import { type CrashRefusals, createCrashRefusals } from "@keyhearth/engine/memory/crash-refusals";
import type { RootKey } from "../start/process.ts";
import { activityOf, faultOf, isKept } from "./check.ts";
import { type Draft, generate, type Operation, operations, typesOf } from "./generate.ts";
import { type Attempt, mutate, plain } from "./mutate.ts";
import { createRandom, type Random } from "./random.ts";
import type { Stage } from "./stage.ts";
import {
  type Acknowledged,
  forget,
  forgetTenant,
  learn,
  newTenant,
  type State,
  type Tenant,
} from "./state.ts";
import { encodeWire, type Reply, send, type Wire, wireOf } from "./wire.ts";

export type Options = {
  stage: Stage;
  seed: number;
  /** How long to send requests, and how many batches at most. The last check comes on top. */
  milliseconds: number;
  steps?: number;
  /** How long to measure the other organization before. */
  measureMs: number;
  /** Where requests go that met a fault. */
  directory: string;
  /** Kill a part of the product with each batch of this number. */
  killEvery: number;
  log: (line: string) => void;
};

export type Outcome = {
  /** What was wrong, with the file that has the request. */
  faults: string[];
  requests: number;
  accepted: number;
  acknowledged: number;
  kills: number;
  /** Median milliseconds of another organization's signatures, alone and beside the fuzzer. */
  victim: { alone: number; beside: number };
  statuses: Record<string, number>;
  /** Operations and types of which no request was accepted: there the fuzzer tests too little. */
  neverAccepted: string[];
};

/** One run. It keeps what it was answered, and what it will send again. */
type Run = Options & {
  state: State;
  root: Tenant;
  outcome: Outcome;
  earlier: Map<Tenant, Wire[]>;
  step: number;
  opened: number;
  endAt: number;
  /** How long the service may refuse an organization whose requests met every kill of the signer. */
  blame: CrashRefusals;
};

type Sent = { attempt: Attempt; draft: Draft; tenant: Tenant; reply: Reply | undefined };

const BATCH = 8;
const MOST_FAULTS = 20;
/** Tenants that get requests. Earlier ones are only checked at the end. */
const ACTIVE = 5;
const NEW_TENANT_EVERY = 120;
const LEAST_TENANTS = 3;
/** More than one answer has room for, and no more than a tenant and its parent may send at once. */
const LARGE_ACTIVITIES = 5;
const LARGE_BYTES = 950_000;
/** In place of the organizations whose requests a killed signer held, which the fuzzer does not know. */
const ANY = "any organization";
/** A reply may be judged so long after it was decided. */
const REPLY_MS = 5_000;

export async function fuzz(options: Options): Promise<Outcome> {
  const run = await prepare(options);
  const victim = await startVictim(run);
  await pause(options.measureMs);
  run.outcome.victim.alone = median(victim.take());
  run.endAt = Date.now() + options.milliseconds;
  const steps = options.steps ?? Number.POSITIVE_INFINITY;
  let reportAt = Date.now() + 30_000;
  while (run.step < steps && Date.now() < run.endAt && !isHopeless(run)) {
    if (run.step % NEW_TENANT_EVERY === NEW_TENANT_EVERY - 1) await openTenant(run);
    await sendBatch(run);
    if (Date.now() < reportAt) continue;
    reportAt = Date.now() + 30_000;
    options.log(lineOf(run, victim.durations));
  }
  run.outcome.victim.beside = median(victim.take());
  await victim.stop();
  await reconcile(run, [...run.state.acknowledged.values()]);
  run.outcome.acknowledged = run.state.acknowledged.size;
  return run.outcome;
}

async function prepare(options: Options): Promise<Run> {
  const { organizationId, apiPublicKey, apiPrivateKey } = options.stage.root;
  const key = { publicKey: apiPublicKey, privateKey: apiPrivateKey };
  const root = newTenant(organizationId, "canary-0-", key);
  const run: Run = {
    ...options,
    root,
    state: { tenants: [], ending: new Set(), acknowledged: new Map() },
    earlier: new Map(),
    step: 0,
    opened: 0,
    endAt: 0,
    blame: createCrashRefusals(),
    outcome: {
      faults: [],
      requests: 0,
      accepted: 0,
      acknowledged: 0,
      kills: 0,
      victim: { alone: 0, beside: 0 },
      statuses: {},
      neverAccepted: operations.flatMap(namesOf),
    },
  };
  for (const name of LOGIN_FEATURES) {
    await submitAsRoot(run, "set_organization_feature", "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", {
      name,
    });
  }
  while (run.state.tenants.length < LEAST_TENANTS) await openTenant(run);
  return run;
}

/** A sub-organization has most of them, but its parent must have them too. */
const LOGIN_FEATURES = ["EMAIL_AUTH", "OTP_EMAIL_AUTH", "SMS_AUTH", "EMAIL_RECOVERY"].map(
  (name) => `FEATURE_NAME_${name}`,
);

/** Submits what the stage needs, and returns the activity as it is shown. */
async function submitAs(
  { organizationId, keys: [key] }: Tenant,
  run: Run,
  name: string,
  type: string,
  parameters: object,
) {
  if (!key) throw new Error("each organization has a key");
  const json = { type, timestampMs: String(Date.now()), organizationId, parameters };
  const body = new TextEncoder().encode(JSON.stringify(json));
  const wire = wireOf(`/public/v1/submit/${name}`, body, key);
  const reply = await send(run.stage.url, wire);
  if (!reply || activityOf(reply)?.status !== "ACTIVITY_STATUS_COMPLETED") {
    throw new Error(`${name} failed: ${reply?.text ?? "no answer"}`);
  }
  return JSON.parse(reply.text).activity;
}

function submitAsRoot(run: Run, name: string, type: string, parameters: object) {
  return submitAs(run.root, run, name, type, parameters);
}

/** A new sub-organization with a user, a wallet and some of the largest activities. */
async function openTenant(run: Run): Promise<Tenant> {
  run.opened += 1;
  const canary = `canary-${run.opened}-`;
  const key = newKey();
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  };
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7";
  const shown = await submitAsRoot(run, "create_sub_organization", type, {
    subOrganizationName: canary,
    rootUsers: [
      {
        userName: canary,
        // As in the examples, so that messages can be sent to it.
        userEmail: "ada@example.com",
        apiKeys: [
          { apiKeyName: canary, publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: { walletName: canary, accounts: [account] },
  });
  const { subOrganizationId } = shown.result.createSubOrganizationResultV7;
  const tenant = newTenant(String(subOrganizationId), canary, key);
  learn(tenant, shown.result);
  await signLargest(run, tenant);
  run.state.tenants.push(tenant);
  return tenant;
}

/** So that lists, receipts and simulations are about large records too. */
async function signLargest(run: Run, tenant: Tenant) {
  const [signWith] = tenant.known.get("address") ?? [];
  for (let i = 0; i < LARGE_ACTIVITIES; i++) {
    await submitAs(tenant, run, "sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
      signWith,
      payload: `${i} `.padEnd(LARGE_BYTES, "x"),
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
  }
}

/** Requests are chosen one after the other, and sent at once. */
async function sendBatch(run: Run) {
  run.step += 1;
  const random = createRandom(run.seed, run.step);
  const chosen = Array.from({ length: 1 + random.below(BATCH) }, () => choose(run, random));
  // Sometimes all are the same request, at once.
  const [first] = chosen;
  const batch = first && random.oneIn(20) ? [first, first, first] : chosen;
  const disturbance = run.step % run.killEvery === 0 ? disturb(run, random) : undefined;
  for (const { draft, tenant } of batch) {
    if (isEnding(draft.operation)) run.state.ending.add(tenant.organizationId);
  }
  const sent = await Promise.all(
    batch.map(async (each) => ({ ...each, reply: await send(run.stage.url, each.attempt.wire) })),
  );
  await disturbance;
  for (const each of sent) judge(run, each, disturbance !== undefined);
  while (run.state.tenants.length < LEAST_TENANTS) await openTenant(run);
  if (!disturbance) return;
  await resend(run, sent);
  const all = [...run.state.acknowledged.values()];
  await reconcile(run, [...all.slice(-100), ...Array.from({ length: 50 }, () => random.pick(all))]);
}

/** Does it end its organization? Then all that the tenant knows is worth nothing. */
function isEnding({ name }: Operation): boolean {
  return /^delete_(sub_)?organization$/.test(name);
}

function choose(run: Run, random: Random): Omit<Sent, "reply"> {
  const active = run.state.tenants.slice(-ACTIVE);
  const isRoot = random.oneIn(12);
  const tenant = isRoot ? run.root : random.pick(active);
  const stranger = random.pick(active.filter((each) => each !== tenant));
  const isLasting = (each: Operation) => !isEnding(each);
  const ofTenants = random.oneIn(8) ? operations : operations.filter(isLasting);
  const operation = random.pick(isRoot ? operationsOf(random) : ofTenants);
  const key = random.oneIn(4) ? random.pick(tenant.keys) : (tenant.keys[0] as Tenant["keys"][0]);
  const draft = generate(random, tenant, operation);
  const earlier = run.earlier.get(tenant) ?? [];
  const making = {
    random,
    tenant,
    stranger,
    key,
    earlier: earlier.length > 0 ? random.pick(earlier) : undefined,
  };
  const attempt = random.oneIn(2) ? plain(making, draft) : mutate(making, draft);
  // The parent may read its sub-organizations.
  if (isRoot && attempt.name === "another organization") attempt.mustFail = false;
  return { attempt, draft, tenant };
}

/** Of the root organization: only what leaves its user able to make organizations. */
function operationsOf(random: Random): Operation[] {
  const names = random.oneIn(2) ? /^create_sub_organization$/ : /^(create_wallet|sign_)/;
  const isMaking = random.oneIn(2);
  return operations.filter(({ kind, name }) => (kind === "query" ? !isMaking : names.test(name)));
}

function judge(run: Run, { attempt, draft, tenant, reply }: Sent, isDown: boolean) {
  const { outcome } = run;
  outcome.requests += 1;
  if (!reply) {
    if (!isDown) fail(run, "gave no answer", attempt, reply);
    return;
  }
  outcome.statuses[reply.status] = (outcome.statuses[reply.status] ?? 0) + 1;
  const viewer = tenant === run.root ? undefined : tenant;
  // Whether the signer was killed or a request stopped it, its organization has to wait.
  const isPaused =
    run.blame.refusedForMs(ANY, Date.now() - REPLY_MS) > 0 &&
    reply.text.includes("stopped more than once");
  const fault = faultOf(attempt, reply, { tenant: viewer, isDown: isDown || isPaused });
  if (fault) fail(run, fault, attempt, reply);
  if (reply.status >= 300) return;
  outcome.accepted += 1;
  const name = nameOf(draft.operation, draft.json.type);
  if (attempt.name === "plain") {
    outcome.neverAccepted = outcome.neverAccepted.filter((each) => each !== name);
  }
  remember(run, tenant, attempt);
  // Some ids are only in answers to queries, such as those of accounts.
  if (draft.operation.kind === "query" && tenant !== run.root)
    learn(tenant, JSON.parse(reply.text));
  const activity = draft.operation.kind === "submit" ? activityOf(reply) : undefined;
  if (!activity) return;
  keep(run, activity, attempt, reply);
  if (isEnding(draft.operation) && activity.status === "ACTIVITY_STATUS_COMPLETED") {
    forgetTenant(run.state, tenant.organizationId);
    return;
  }
  const { result } = JSON.parse(reply.text).activity;
  const { subOrganizationId } = findMember(result, "subOrganizationId");
  if (typeof subOrganizationId === "string") return;
  if (draft.operation.name.startsWith("delete_")) forget(tenant, result);
  else learn(tenant, result);
  learn(tenant, { fingerprint: activity.fingerprint, activityId: activity.activityId });
  tenant.keys = [
    ...tenant.keys.slice(0, 1),
    ...[...tenant.keys.slice(1), ...draft.made].slice(-12),
  ];
}

function nameOf({ name, kind }: Operation, type: unknown): string {
  return kind === "query" ? name : `${name} ${type}`;
}

function namesOf(operation: Operation): string[] {
  return typesOf(operation).map((type) => nameOf(operation, type));
}

function findMember(result: unknown, name: string): Record<string, unknown> {
  const values = Object.values((result ?? {}) as Record<string, object>);
  return (values.find((each) => each && name in each) ?? {}) as Record<string, unknown>;
}

function remember(run: Run, tenant: Tenant, { wire }: Attempt) {
  if (wire.body.length > 20_000) return;
  run.earlier.set(tenant, [...(run.earlier.get(tenant) ?? []), wire].slice(-30));
}

function keep(run: Run, activity: Acknowledged, attempt: Attempt, reply: Reply) {
  const { acknowledged } = run.state;
  const earlier = acknowledged.get(activity.activityId);
  if (earlier && !isKept(earlier, activity)) {
    fail(run, `changed activity ${activity.activityId}: it was ${earlier.status}`, attempt, reply);
  }
  acknowledged.set(activity.activityId, activity);
}

/** Kills the service or the signer in the middle of a batch. */
async function disturb(run: Run, random: Random) {
  run.outcome.kills += 1;
  await pause(random.below(60));
  if (run.stage.hasSigner && random.oneIn(2)) {
    await run.stage.killSigner();
    run.blame.add(ANY, Date.now());
  } else await run.stage.killService();
  await untilReady(run);
}

async function untilReady({ stage }: Run) {
  const giveUpAt = Date.now() + 30_000;
  const wire = { method: "GET", path: "/readyz", headers: {}, body: new Uint8Array() };
  while ((await send(stage.url, wire))?.status !== 200) {
    if (Date.now() > giveUpAt) throw new Error("the service is not ready after a kill");
    await pause(50);
  }
}

/** What got no answer is sent again, as a client does. */
async function resend(run: Run, sent: Sent[]) {
  for (const each of sent) {
    if (each.reply) continue;
    const reply = await send(run.stage.url, each.attempt.wire);
    judge(run, { ...each, reply }, false);
  }
}

/** Asks for activities that were answered: each must be as it was. */
async function reconcile(run: Run, all: Acknowledged[]) {
  for (let at = 0; at < all.length; at += 16) {
    await Promise.all(all.slice(at, at + 16).map((each) => expectKept(run, each)));
  }
}

async function expectKept(run: Run, earlier: Acknowledged) {
  const { organizationId, activityId } = earlier;
  const body = new TextEncoder().encode(JSON.stringify({ organizationId, activityId }));
  const wire = wireOf("/public/v1/query/get_activity", body, rootKeyOf(run));
  const attempt = { name: "reconcile", wire, mustFail: false };
  const reply = await send(run.stage.url, wire);
  const isGone = reply?.status === 404 && reply.text.includes('"ORGANIZATION_NOT_FOUND"');
  if (isGone && run.state.ending.has(organizationId)) {
    // The answer to the deletion was lost, or that of another request in its batch came later.
    forgetTenant(run.state, organizationId);
    return;
  }
  const found = reply && activityOf(reply);
  if (!found || !isKept(earlier, found)) {
    fail(run, `lost activity ${activityId}, which was ${earlier.status}`, attempt, reply);
  }
}

function rootKeyOf({ root }: Run) {
  const [key] = root.keys;
  if (!key) throw new Error("the root organization has a key");
  return key;
}

function isHopeless({ outcome }: Run): boolean {
  return outcome.faults.length >= MOST_FAULTS;
}

function fail(run: Run, fault: string, attempt: Attempt, reply: Reply | undefined) {
  const { seed, step, directory, stage, outcome } = run;
  if (isHopeless(run)) return;
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${stage.kind}-${seed}-${step}-${outcome.faults.length}.json`);
  writeFileSync(file, encodeWire(attempt.wire));
  const answer = reply ? `${reply.status} ${reply.text.slice(0, 300)}` : "no answer";
  const { method, path } = attempt.wire;
  outcome.faults.push(
    `${fault}: ${method} ${path.slice(0, 100)} (${attempt.name}), seed ${seed}, step ${step}, ${answer}, saved as ${file}`,
  );
  run.log(outcome.faults.at(-1) ?? "");
  // Now, because the next kill starts another log.
  if (reply && reply.status >= 500) run.log(stage.log().slice(-4000));
}

async function startVictim(run: Run) {
  const tenant = await openTenant(run);
  // It gets no requests of the fuzzer.
  run.state.tenants = run.state.tenants.filter((each) => each !== tenant);
  const [key] = tenant.keys;
  const { organizationId } = tenant;
  const own: RootKey = {
    organizationId,
    userId: "",
    apiPublicKey: key?.publicKey ?? "",
    apiPrivateKey: key?.privateKey ?? "",
  };
  const signWith = tenant.known.get("address")?.[0];
  const workerData = { url: run.stage.url, key: own, signWith };
  const worker = new Worker(new URL("./victim.ts", import.meta.url), { workerData });
  let durations: number[] = [];
  worker.on("message", (milliseconds: number) => durations.push(milliseconds));
  worker.on("error", (error) => run.log(`the other organization stopped: ${error}`));
  return {
    get durations() {
      return durations;
    },
    take() {
      const taken = durations;
      durations = [];
      return taken;
    },
    stop: () => worker.terminate(),
  };
}

function lineOf({ outcome, state, step }: Run, durations: number[]): string {
  const { requests, accepted, kills, victim, faults, statuses } = outcome;
  const slower = median(durations) / victim.alone;
  return `step ${step}: ${requests} requests, ${accepted} accepted, ${state.acknowledged.size} activities, ${kills} kills, ${faults.length} faults, another organization ${slower.toFixed(2)} times slower, ${JSON.stringify(statuses)}`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
