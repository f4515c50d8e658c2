import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { newKey } from "@keyhearth/api/testing";
import {
  type Activity,
  ApiKeyStamper,
  ConsensusNeeded,
  KeyhearthClient,
  KeyhearthError,
  Unavailable,
} from "@keyhearth/sdk";
import { createTarget } from "../kill/load.ts";
import type { RootKey } from "../start/process.ts";

/** The answers that the clients of one organization got, and what they saw. */
export type MixedLoad = {
  organizationId: string;
  root: KeyhearthClient;
  /** Every activity that was answered, in its last state. */
  told: Map<string, Activity>;
  /** What exists by what was answered. */
  present: Record<Kind, Set<string>>;
  /** What does not exist anymore. */
  absent: Record<Kind, Set<string>>;
  /** When each signature was asked for and answered, by `performance.now()`. */
  probes: { sentAt: number; answeredAt: number }[];
  /** What clients got instead of an answer, and how often. */
  failures: Map<string, number>;
  /** What must not have been seen. */
  surprises: string[];
  /** Sends nothing new, and resolves when all that was sent has been answered. */
  stop(): Promise<void>;
};

type Kind = "wallet" | "user" | "policy";
type Client = { client: KeyhearthClient; userId: string };

const SIGN_PAUSE_MS = 60;
const CHANGE_PAUSE_MS = 300;
const VOTE_PAUSE_MS = 1500;
const ASK_PAUSE_MS = 250;
/** Beyond it the oldest is deleted: an organization has a limited number of each. */
const MOST_OF_A_KIND = 20;

/**
 * An organization whose clients sign, create and delete wallets, users and policies, start what needs votes, vote, and ask,
 * over the SDK as it is. What gets no answer is sent again, byte for byte, until it has one.
 */
export async function startMixedLoad(url: string, founder: RootKey): Promise<MixedLoad> {
  const { key, walletId, signWith } = await untilDone(() => createTarget({ url }, founder));
  const { organizationId } = key;
  const statuses = new Map<string, number>();
  const surprises: string[] = [];
  const root = clientOf(key);
  const told = new Map<string, Activity>();
  const present = {
    wallet: new Set([walletId]),
    user: new Set([key.userId]),
    policy: new Set<string>(),
  };
  const absent = { wallet: new Set<string>(), user: new Set<string>(), policy: new Set<string>() };
  const probes: MixedLoad["probes"] = [];
  let isStopped = false;

  function clientOf(of: RootKey): KeyhearthClient {
    const { apiPublicKey, apiPrivateKey } = of;
    const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
    return new KeyhearthClient({ baseUrl: url, organizationId, stamper, fetch: observed });
  }

  /** Every answer counts, also those after which the SDK tries again. */
  async function observed(to: string, init: RequestInit): Promise<Response> {
    const response = await fetch(to, init);
    if (response.status !== 200) {
      count(`HTTP ${response.status}`);
      const isOfBalancer = [502, 503, 504].includes(response.status);
      if (!isOfBalancer) {
        surprises.push(
          `${new URL(to).pathname}: ${response.status} ${await response.clone().text()}`,
        );
      }
    }
    return response;
  }

  function count(what: string) {
    statuses.set(what, (statuses.get(what) ?? 0) + 1);
  }

  /** Sends the same request until it is answered. A refusal other than 503 is a surprise. */
  async function ask<T>(send: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (error instanceof Unavailable) {
          count(error.code);
          await sleep(100);
          continue;
        }
        const code = error instanceof KeyhearthError ? `${error.code}: ` : "";
        surprises.push(`${code}${error instanceof Error ? error.message : error}`);
        return null;
      }
    }
  }

  /** The answer to a submission whose bytes stay the same. */
  async function submit<T extends { activity: Activity }>(
    send: (options: { timestampMs: string }) => Promise<T>,
  ): Promise<T | null> {
    const options = { timestampMs: String(Date.now()) };
    const answer = await ask(() => send(options));
    if (answer) note(answer.activity);
    return answer;
  }

  function note(activity: Activity) {
    const before = told.get(activity.id);
    if (before?.status === "ACTIVITY_STATUS_COMPLETED" && activity.status !== before.status) {
      surprises.push(`activity ${activity.id} was completed and is ${activity.status}`);
    }
    told.set(activity.id, activity);
  }

  async function addUser(): Promise<Client | null> {
    const { publicKey, privateKey } = newKey();
    const user = {
      userName: randomBytes(8).toString("hex"),
      apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    };
    const made = await submit((options) => root.createUsers({ users: [user] }, options));
    const userId = made?.userIds[0];
    if (userId === undefined) return null;
    present.user.add(userId);
    const own = { organizationId, userId, apiPublicKey: publicKey, apiPrivateKey: privateKey };
    return { client: clientOf(own), userId };
  }

  async function addWallet() {
    const walletName = randomBytes(8).toString("hex");
    const made = await submit((options) =>
      root.createWallet({ walletName, accounts: [] }, options),
    );
    if (made) present.wallet.add(made.walletId);
  }

  async function addPolicy(consensus: string, condition: string) {
    const policyName = randomBytes(8).toString("hex");
    const policy = { policyName, effect: "EFFECT_ALLOW" as const, condition, consensus, notes: "" };
    const made = await submit((options) => root.createPolicy(policy, options));
    if (made) present.policy.add(made.policyId);
  }

  const removers = {
    wallet: (walletId: string) =>
      submit((options) =>
        root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true }, options),
      ),
    user: (userId: string) => submit((options) => root.deleteUsers({ userIds: [userId] }, options)),
    policy: (policyId: string) => submit((options) => root.deletePolicy({ policyId }, options)),
  };

  /** Deletes the oldest that nothing else uses. */
  async function trim(kind: Kind, used: ReadonlySet<string>) {
    if (present[kind].size <= MOST_OF_A_KIND) return;
    const oldest = [...present[kind]].find((id) => !used.has(id));
    if (oldest === undefined) return;
    // Until the answer is there, both are possible.
    present[kind].delete(oldest);
    if (await removers[kind](oldest)) absent[kind].add(oldest);
  }

  const proposer = await addUser();
  const approver = await addUser();
  if (!proposer || !approver) throw new Error(`no users: ${surprises.join("\n")}`);
  await addPolicy("approvers.count() >= 2", "activity.kind == 'CREATE_WALLET'");
  const used = new Set([
    ...[walletId, key.userId, proposer.userId, approver.userId],
    ...present.policy,
  ]);

  async function sign() {
    const sentAt = performance.now();
    const payload = randomBytes(32).toString("hex");
    const signed = await submit((options) =>
      root.signRawPayload(
        {
          ...{ signWith, payload, encoding: "PAYLOAD_ENCODING_HEXADECIMAL" as const },
          hashFunction: "HASH_FUNCTION_NO_OP",
        },
        options,
      ),
    );
    if (signed) probes.push({ sentAt, answeredAt: performance.now() });
    await sleep(SIGN_PAUSE_MS);
  }

  async function change(round: number) {
    const kinds = ["wallet", "user", "policy"] as const;
    const kind = kinds[round % 3] ?? "wallet";
    if (kind === "wallet") await addWallet();
    if (kind === "user") await addUser();
    if (kind === "policy") await addPolicy("true", `wallet.id == '${walletId}'`);
    await trim(kind, used);
    await sleep(CHANGE_PAUSE_MS);
  }

  /** One user starts what needs two, and the other one approves. */
  async function vote() {
    const walletName = randomBytes(8).toString("hex");
    const options = { timestampMs: String(Date.now()) };
    const started = await ask(() =>
      (proposer as Client).client.createWallet({ walletName, accounts: [] }, options).then(
        ({ activity }) => activity,
        (error: unknown) => {
          if (error instanceof ConsensusNeeded) return error.activity;
          throw error;
        },
      ),
    );
    if (!started) return;
    note(started);
    const { fingerprint } = started;
    const votedAt = { timestampMs: String(Date.now()) };
    const decided = await ask(() =>
      (approver as Client).client.approveActivity({ fingerprint }, votedAt),
    );
    if (decided) {
      note(decided.activity);
      const made = String(decided.result?.walletId);
      if (decided.activity.status !== "ACTIVITY_STATUS_COMPLETED") {
        surprises.push(`two approvals left ${decided.activity.id} at ${decided.activity.status}`);
      } else {
        present.wallet.add(made);
        await trim("wallet", used);
      }
    }
    await sleep(VOTE_PAUSE_MS);
  }

  /** No answer may lack what an earlier answer had, or have what was deleted by then. */
  async function look() {
    const before = { present: [...present.wallet], absent: [...absent.wallet] };
    const answer = await ask(() => root.listWallets());
    const ids = new Set(answer?.wallets.map((each) => each.walletId));
    for (const id of answer ? before.present : []) {
      // One that is being deleted meanwhile may be gone.
      if (!ids.has(id) && present.wallet.has(id)) surprises.push(`wallet ${id} is not listed`);
    }
    for (const id of before.absent) if (ids.has(id)) surprises.push(`wallet ${id} is back`);
    await ask(() => root.whoami());
    await sleep(ASK_PAUSE_MS);
  }

  const again = async (work: (round: number) => Promise<void>) => {
    for (let round = 0; !isStopped; round++) await work(round);
  };
  const loops = [again(sign), again(change), again(vote), again(look)];
  return {
    ...{ organizationId, root, told, present, absent, probes, surprises },
    failures: statuses,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

/** The organization is founded although something fails. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await sleep(300);
    }
  }
}
