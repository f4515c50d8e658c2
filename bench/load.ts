import { randomBytes, randomUUID } from "node:crypto";
import {
  newVerificationToken,
  readVerificationKey,
} from "@keyhearth/engine/verification-tokens.testing";
import { type Connection, openConnection } from "./connection.ts";
import { STORE_PATH, TRANSIT_PATH } from "./openbao.ts";
import { type Spender, tokenTransfer } from "./policies.ts";
import {
  ACCOUNTS,
  accountsBody,
  batchBody,
  ed25519Body,
  httpRequest,
  loginBody,
  newApiKey,
  otpLoginBody,
  type Signatory,
  type Stamp,
  signBody,
  stamperOf,
  subOrganizationBody,
  tokenRequest,
  transactionBody,
  walletBody,
} from "./requests.ts";

/**
 * The load generator, a separate process controlled by messages. It stamps before the clock starts, and
 * while it runs it does little more than write and read.
 */
export type Task = { url: string; connections: number; warmUpSeconds: number; seconds: number } & (
  | {
      call: "create_sub_organization";
      parent: Parent;
      withSolana?: boolean;
      withEmail?: boolean;
      maxRate: number;
    }
  | {
      call: "sign";
      over: Over;
      kind?: SignKind;
      maxRate: number;
      loginsPerSecond?: number;
    }
  | { call: "login"; over: "one" | "all"; invalidateExisting?: boolean; maxRate: number }
  /** The parent logs in users by tokens of its own. */
  | { call: "otp_login"; parent: Parent; stateDirectory: string; maxRate: number }
  | { call: "create_wallet"; maxRate: number }
  /** Over the organizations for which `create_wallet` made a wallet. */
  | { call: "get_wallet_accounts"; maxRate: number }
  | { call: "sign_transaction"; spender: Spender; maxRate: number }
  | { call: "sign_raw_payload"; spender: Spender; maxRate: number }
  /** Signatures of the program that we compare ourselves with, each maybe with a record that is stored after it. */
  | { call: "openbao"; token: string; withRecord: boolean; maxRate: number }
  /** Exactly `count` signatures, as fast as possible. */
  | { call: "sign-count"; count: number }
);

type Over = "one" | "all" | "with-wallets";

export type Parent = { organizationId: string; privateKey: string };

/** What `sign` sends: a digest if it does not say. */
export type SignKind = "digest" | "ed25519" | "transaction" | "batch";

export type Result = {
  requests: number;
  /** All requests, including those of the warm-up. */
  answered: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  failed: number;
  firstFailure: string | null;
  /** How many organizations the load used. */
  organizations: number;
};

type CreateTask = Task & { call: "create_sub_organization" };
type OpenBaoTask = Task & { call: "openbao" };
type OtpLoginTask = Task & { call: "otp_login" };
type Prepared = {
  request: Buffer;
  /** What the body of a right answer contains, if it is not a completed activity. */
  expected?: string;
  /** Makes what the same connection sends next, which belongs to this request. */
  next?: (body: Buffer) => Prepared;
  onAnswer?: (body: Buffer) => void;
};

const COMPLETED = '"ACTIVITY_STATUS_COMPLETED"';

/** Organizations created so far, which sign. */
const signatories: Signatory[] = [];

process.on("message", async (task: Task) => {
  try {
    process.send?.({ result: await perform(task) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});

async function perform(task: Task): Promise<Result> {
  switch (task.call) {
    case "create_sub_organization": {
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      return drive(task, prepareSubOrganizations(task, count));
    }
    case "create_wallet": {
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      const chosen = signatories.slice(0, 1000);
      const prepared = prepareEach(chosen, count, (signatory) => ({
        endpoint: "create_wallet",
        body: walletBody(signatory),
        onAnswer(answer) {
          const { result } = JSON.parse(answer.toString()).activity;
          signatory.walletId = result.createWalletResult.walletId;
        },
      }));
      return { ...(await drive(task, prepared)), organizations: chosen.length };
    }
    case "get_wallet_accounts": {
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      const chosen = chosenOf("with-wallets");
      return {
        ...(await drive(task, prepareQueries(chosen, count))),
        organizations: chosen.length,
      };
    }
    case "sign": {
      const chosen = chosenOf(task.over);
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      const prepared = prepareSigning(chosen, count, task.kind);
      const logins = driveLogins(task, chosen, task.loginsPerSecond);
      const signed = await drive(task, prepared);
      const { failed, firstFailure } = await logins;
      return {
        ...signed,
        failed: signed.failed + failed,
        firstFailure: signed.firstFailure ?? firstFailure,
        organizations: chosen.length,
      };
    }
    case "login": {
      const chosen = chosenOf(task.over);
      const most = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      // A login that ends the others refuses those of its user that were stamped before.
      const count = task.invalidateExisting ? Math.min(most, chosen.length) : most;
      const prepared = prepareLogins(chosen, count, task.invalidateExisting);
      return { ...(await drive(task, prepared)), organizations: chosen.length };
    }
    case "otp_login": {
      const chosen = chosenOf("all");
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      return {
        ...(await drive(task, prepareOtpLogins(task, chosen, count))),
        organizations: chosen.length,
      };
    }
    case "sign_raw_payload": {
      const { privateKey, ...account } = task.spender;
      const signatory = { ...account, stamp: stamperOf(privateKey) };
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      return drive(task, prepareSigning([signatory], count));
    }
    case "sign_transaction": {
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      return drive(task, prepareTransactions(task.spender, count));
    }
    case "openbao": {
      const count = Math.ceil(task.maxRate * (task.seconds + task.warmUpSeconds));
      return drive(task, prepareOpenBao(task, count));
    }
    case "sign-count":
      return drive(task, prepareSigning(signatories.slice(0, 1), task.count));
  }
}

function chosenOf(over: Over): Signatory[] {
  if (over === "with-wallets") return signatories.filter(({ walletId }) => walletId !== undefined);
  return signatories.slice(0, over === "one" ? 1 : 1000);
}

/** Logins at a steady pace beside other requests, until those end. */
async function driveLogins(
  task: Task,
  chosen: Signatory[],
  perSecond = 0,
): Promise<Pick<Result, "failed" | "firstFailure">> {
  if (perSecond === 0) return { failed: 0, firstFailure: null };
  const count = Math.ceil(perSecond * (task.seconds + task.warmUpSeconds));
  return drive({ ...task, connections: 4 }, prepareLogins(chosen, count), 1000 / perSecond);
}

function prepareLogins(chosen: Signatory[], count: number, invalidateExisting = false): Prepared[] {
  return prepareEach(chosen, count, ({ organizationId }) => ({
    endpoint: "stamp_login",
    body: loginBody(organizationId, { publicKey: newApiKey().publicKey, invalidateExisting }),
  }));
}

/** Each login has a token and keys of its own, as if its user had just read a code. */
function prepareOtpLogins(
  { parent, stateDirectory }: OtpLoginTask,
  chosen: Signatory[],
  count: number,
): Prepared[] {
  const verificationKey = readVerificationKey(stateDirectory);
  const stamp = stamperOf(parent.privateKey);
  const makeBody = ({ organizationId, email }: Signatory) => {
    if (email === undefined) throw new Error("a user without an email address");
    const tokenKey = newApiKey();
    const claims = {
      contact: email,
      organization_id: parent.organizationId,
      public_key: tokenKey.publicKey,
    };
    const verificationToken = newVerificationToken(verificationKey, claims, Date.now());
    const { publicKey } = newApiKey();
    return otpLoginBody(organizationId, { verificationToken, tokenKey, publicKey });
  };
  return prepareEach(chosen, count, (signatory) => ({
    endpoint: "otp_login",
    body: makeBody(signatory),
    stamp,
  }));
}

function prepareSigning(chosen: Signatory[], count: number, kind: SignKind = "digest"): Prepared[] {
  return prepareEach(chosen, count, (signatory, index) => {
    switch (kind) {
      case "digest":
        return { endpoint: "sign_raw_payload", body: signBody(signatory) };
      case "ed25519":
        return { endpoint: "sign_raw_payload", body: ed25519Body(signatory) };
      case "batch":
        return { endpoint: "sign_raw_payloads", body: batchBody(signatory) };
      case "transaction": {
        const unsigned = tokenTransfer(index + firstNonce);
        return { endpoint: "sign_transaction", body: transactionBody(signatory, unsigned) };
      }
    }
  });
}

function prepareEach(
  chosen: Signatory[],
  count: number,
  make: (
    signatory: Signatory,
    index: number,
  ) => { endpoint: string; body: string; stamp?: Stamp; onAnswer?: Prepared["onAnswer"] },
): Prepared[] {
  if (chosen.length === 0) throw new Error("there is no organization to sign for");
  return Array.from({ length: count }, (_, index) => {
    const signatory = chosen[index % chosen.length] as Signatory; // within the list
    const { endpoint, body, stamp = signatory.stamp, onAnswer } = make(signatory, index);
    const request = httpRequest(`/public/v1/submit/${endpoint}`, body, stamp(body));
    return onAnswer ? { request, onAnswer } : { request };
  });
}

function prepareQueries(chosen: Signatory[], count: number): Prepared[] {
  if (chosen.length === 0) throw new Error("there is no organization with a wallet to ask for");
  return Array.from({ length: count }, (_, index) => {
    const signatory = chosen[index % chosen.length] as Signatory; // within the list
    const body = accountsBody(signatory);
    const path = "/public/v1/query/list_wallet_accounts";
    // The last of the ten, so that a list that is cut counts as a failure.
    return {
      request: httpRequest(path, body, signatory.stamp(body)),
      expected: `"m/44'/501'/${ACCOUNTS / 2 - 1}'/0'"`,
    };
  });
}

/** A record has the size of ours: the request, which is what was asked for, and the signature. */
const RECORD_BYTES = 1700;

function prepareOpenBao({ token, withRecord }: OpenBaoTask, count: number): Prepared[] {
  const filler = "x".repeat(RECORD_BYTES);
  const store = (answer: Buffer): Prepared => {
    const { signature } = JSON.parse(answer.toString()).data;
    const body = JSON.stringify({ data: { signature, request: filler } });
    const path = `${STORE_PATH}/${randomUUID()}`;
    return { request: tokenRequest(path, body, token), expected: '"created_time"' };
  };
  return Array.from({ length: count }, () => {
    const input = randomBytes(32).toString("base64");
    const body = JSON.stringify({ input, prehashed: true, hash_algorithm: "sha2-256" });
    const request = tokenRequest(TRANSIT_PATH, body, token);
    const signing = { request, expected: '"signature":"vault:v1:' };
    return withRecord ? { ...signing, next: store } : signing;
  });
}

function prepareTransactions(
  { organizationId, privateKey, signWith }: Spender,
  count: number,
): Prepared[] {
  const stamp = stamperOf(privateKey);
  return Array.from({ length: count }, (_, nonce) => {
    const unsigned = tokenTransfer(nonce + firstNonce);
    const body = transactionBody({ organizationId, signWith }, unsigned);
    return { request: httpRequest("/public/v1/submit/sign_transaction", body, stamp(body)) };
  });
}

/** Each run of this process signs other nonces, so that no request repeats an earlier one. */
const firstNonce = Date.now() % 1_000_000;

function prepareSubOrganizations(
  { parent: { organizationId, privateKey }, withSolana = false, withEmail = false }: CreateTask,
  count: number,
): Prepared[] {
  const stamp = stamperOf(privateKey);
  return Array.from({ length: count }, () => {
    const key = newApiKey();
    const email = withEmail ? `${key.publicKey}@example.com` : undefined;
    const body = subOrganizationBody(organizationId, key.publicKey, { withSolana, email });
    return {
      request: httpRequest("/public/v1/submit/create_sub_organization", body, stamp(body)),
      onAnswer(answer) {
        const { result } = JSON.parse(answer.toString()).activity;
        const { subOrganizationId, wallet } = result.createSubOrganizationResultV7;
        const [signWith, solana] = wallet.addresses;
        signatories.push({
          organizationId: subOrganizationId,
          stamp: stamperOf(key.privateKey),
          signWith,
          solana,
          email,
        });
      },
    };
  });
}

/**
 * Sends the prepared requests until the time is over. The warm-up does not count. With `everyMs`, a
 * request leaves at most that often.
 */
async function drive(
  { url, connections, warmUpSeconds, seconds }: Task,
  prepared: Prepared[],
  everyMs = 0,
): Promise<Result> {
  const lines = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const latencies: number[] = [];
  let next = 0;
  let answered = 0;
  let failed = 0;
  let firstFailure: string | null = null;
  const firstAt = performance.now();
  const countFrom = firstAt + warmUpSeconds * 1000;
  const endAt = countFrom + seconds * 1000;

  await Promise.all(
    lines.map(async (line) => {
      while (next < prepared.length) {
        const one = prepared[next] as Prepared;
        const waitMs = firstAt + next * everyMs - performance.now();
        next += 1;
        if (everyMs > 0 && waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
        const startedAt = performance.now();
        if (startedAt > endAt) break;
        const { failure, body } = await sendAll(line, one);
        const endedAt = performance.now();
        if (failure !== null) {
          failed += 1;
          firstFailure ??= failure;
          continue;
        }
        answered += 1;
        one.onAnswer?.(body);
        if (endedAt > countFrom && endedAt <= endAt) latencies.push(endedAt - startedAt);
      }
    }),
  );
  for (const line of lines) line.close();
  // The prepared requests may run out before the time does.
  const measured = (Math.min(performance.now(), endAt) - countFrom) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    requests: latencies.length,
    answered,
    seconds: measured,
    perSecond: latencies.length / measured,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failed,
    firstFailure,
    organizations: 1,
  };
}

/** Sends a request and what belongs to it, up to the first wrong answer. */
async function sendAll(
  line: Connection,
  first: Prepared,
): Promise<{ failure: string | null; body: Buffer }> {
  for (let one = first; ; ) {
    const { status, body } = await line.send(one.request);
    if (status !== 200 || !body.includes(one.expected ?? COMPLETED)) {
      return { failure: `${status} ${body.toString().slice(0, 300)}`, body };
    }
    if (!one.next) return { failure: null, body };
    one = one.next(body);
  }
}
