import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { secret } from "@keyhearth/crypto/secret";
import type { CoreOptions, SharedMemory, Time } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { refuse } from "@keyhearth/engine/door/create-core";
import { ApiError, recordRefused, toErrorMessage } from "@keyhearth/engine/errors";
import { createCrashRefusals } from "@keyhearth/engine/memory/crash-refusals";
import { exchangeName, type Verdicts } from "@keyhearth/engine/people/attestation-statements";
import type { CodeExchange, ExchangeCode } from "@keyhearth/engine/people/code-exchanges";
import type { TokenVerifier } from "../oidc/verify-tokens.ts";
import type { Elsewhere, Handled, Hints } from "../turns/fair-queue.ts";
import { received } from "./handed-over.ts";
import type {
  Newest,
  PlainExchange,
  PlainOutcome,
  PlainVerdicts,
  Question,
  Reply,
  Told,
  View,
} from "./messages.ts";
import type { Step, ThreadCall, Threads } from "./threads.ts";

export type Deciding = Pick<CoreOptions, "marks" | "now" | "courierKey" | "log"> & {
  time: Pick<Time, "isSpent" | "use">;
  shared: SharedMemory;
  verifyTokens: TokenVerifier;
  exchangeCode: ExchangeCode;
};

/** How often the ground may move under a call, or a worker die under it, before it is refused. */
const MOST_ATTEMPTS = 5;

/** Which worker an organization's calls are for, counted from one, or 0 if the first thread handles them. */
export function workerFor({ call }: Request, organizationId: string, workers: number): number {
  if (workers === 0 || !(call === "submit" || call === "renew" || call === "sign-webhooks"))
    return 0;
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (let at = 0; at < organizationId.length; at += 1) {
    hash = Math.imul(hash ^ organizationId.charCodeAt(at), 0x01000193);
  }
  return 1 + ((hash >>> 0) % workers);
}

/**
 * Has workers decide, each by a view of what this thread knows. What a worker answers is compared with the marks again and
 * takes effect in one go, before anything else is handled: as if it had been decided here at that moment (decision 34).
 */
export function createDeciders(
  threads: Threads,
  { marks, now, time, courierKey, shared, verifyTokens, exchangeCode, log }: Deciding,
): (request: Request, hints: Hints) => Handled {
  const { tickets, waitingCodes } = shared;
  const refusals = createCrashRefusals();
  threads.answerWith((question) => ({ told: told(question) }));

  function told(question: Question): Extract<Told, { told: unknown }>["told"] {
    switch (question.ask) {
      case "open":
        return waitingCodes.open(...question.args);
      case "secret":
        return waitingCodes.secret(...question.args);
      case "attempt": {
        const { place, isRight, fingerprint, nowMs } = question;
        return waitingCodes.attempt(place, { fingerprint, nowMs, isRight: () => isRight });
      }
    }
  }

  /** A call, with what was learned about it in earlier attempts. */
  type Attempt = {
    request: Request;
    hints: Hints;
    worker: number;
    verdicts: Verdicts;
    /** Organizations beside those of the hints. */
    others: readonly string[];
    /** What was believed to be false, and is not. */
    facts: readonly string[];
    number: number;
  };

  let courier = { key: null as Uint8Array | null, hex: null as string | null };

  /** The same for nearly all calls. */
  function courierHex(): string | null {
    const key = courierKey();
    if (courier.key !== key) courier = { key, hex: key && encodeHex(key) };
    return courier.hex;
  }

  function viewFor({ hints, others, facts }: Attempt): View {
    const newest: Newest[] = [];
    for (const organizationId of new Set([hints.organizationId, hints.familyId, ...others])) {
      const head = isId(organizationId) ? marks.newest(organizationId) : null;
      if (!head) continue;
      const hasMovedLately = marks.hasMovedLately(organizationId);
      newest.push({ organizationId, ...head, hasMovedLately });
    }
    return { nowMs: now(), run: waitingCodes.run, courierKey: courierHex(), newest, facts };
  }

  function ask(attempt: Attempt): Handled {
    const { request, worker, verdicts } = attempt;
    if (attempt.number > MOST_ATTEMPTS)
      return refused(
        attempt,
        unavailable(
          "the documents of this request change too fast, or the signer stops again and again; try again in a moment",
        ),
      );
    try {
      const view = viewFor(attempt);
      const call = threads.call(worker);
      const begun = call.begin({
        kind: "ask",
        request: plainRequest(request),
        verdicts: plainVerdicts(verdicts),
        view,
      });
      return elsewhere(attempt, call, begun, () => ask(attempt));
    } catch (error) {
      // The clock, for example.
      return refused(attempt, error);
    }
  }

  function goOn(attempt: Attempt, call: ThreadCall): Handled {
    try {
      const step = call.goOn(viewFor(attempt));
      return elsewhere(attempt, call, step, () => goOn(attempt, call));
    } catch (error) {
      return refused(attempt, error);
    }
  }

  function elsewhere(
    attempt: Attempt,
    call: ThreadCall,
    step: Promise<Step>,
    askAgain: () => Handled,
  ): Elsewhere {
    const work = step.then(
      ({ reply, tookMs, resumable }) => ({
        tookMs,
        handled:
          reply.kind === "not begun"
            ? Promise.resolve(askAgain)
            : conclude(attempt, call, reply, resumable),
      }),
      (error: unknown) => ({ tookMs: null, handled: refused(attempt, error) }),
    );
    return { kind: "elsewhere", work };
  }

  function conclude(
    attempt: Attempt,
    call: ThreadCall,
    reply: Exclude<Step["reply"], { kind: "not begun" }>,
    resumable: Promise<void>,
  ): Exclude<Handled, Elsewhere> {
    const again = (others = attempt.others) =>
      Promise.resolve(() => ask({ ...attempt, others, number: attempt.number + 1 }));
    try {
      switch (reply.kind) {
        case "answer":
          return takeEffect(attempt, reply);
        case "unfinished":
          return resumable.then(() => () => goOn(attempt, call));
        case "unseen": {
          const { organizationId } = reply.document;
          // Throws for a stale one.
          if (!marks.isConfirmed(reply.document)) return { kind: "unconfirmed" };
          return again([...attempt.others, organizationId]);
        }
        case "tokens": {
          const { tokens } = reply;
          const work = verifyTokens(tokens).then((more) => askWith(attempt, more));
          return { kind: "waiting", work };
        }
        case "exchange": {
          const name = exchangeName(reply.exchange.name);
          const work = exchangeCode(hiddenExchange(reply.exchange)).then((outcome) =>
            askWith(attempt, new Map([[name, outcome]])),
          );
          return { kind: "waiting", work };
        }
        case "unsaid":
          return refused(attempt, recordRefused("the host brought what no worker can be given"));
        case "died":
          if (!reply.ofThis) return again();
          blame(attempt);
          return refused(attempt, unavailable("the signer has stopped; try again in a moment"));
      }
    } catch (error) {
      return refused(attempt, error);
    }
  }

  function askWith(attempt: Attempt, more: Verdicts): () => Handled {
    return () => ask({ ...attempt, verdicts: new Map([...attempt.verdicts, ...more]) });
  }

  /**
   * Compares all that the worker relied on with what is so now. Nothing else happens between this and what the answer
   * does, so no mark can move in between.
   */
  function takeEffect(
    attempt: Attempt,
    { answer, reliance }: Extract<Reply, { kind: "answer" }>,
  ): Exclude<Handled, Elsewhere> {
    const { documents, facts, used, proposed, events } = reliance;
    // Throws if one has become stale.
    if (!documents.every((document) => marks.isConfirmed(document))) return { kind: "unconfirmed" };
    const changed = facts.filter(([name, believed]) => isSo(name) !== believed);
    if (changed.length > 0) {
      const names = changed.map(([name]) => name);
      const known = [...attempt.facts, ...names].filter(isSo);
      return Promise.resolve(() => ask({ ...attempt, facts: known, number: attempt.number + 1 }));
    }
    for (const timestampMs of used) time.use(timestampMs);
    for (const event of events) log(event);
    if (answer.kind !== "proposal" || !proposed) return answer;
    return { ...answer, ticket: tickets.open(proposed) };
  }

  function isSo(name: string): boolean {
    const [kind, about = ""] = name.split(" ");
    return kind === "known" ? marks.knows(about) : time.isSpent(Number(about));
  }

  function blame({ hints: { organizationId } }: Attempt) {
    log({ event: "a request ended a worker of the signer", organizationId });
    if (organizationId !== "") refusals.add(organizationId, performance.now());
  }

  function refused({ request }: Attempt, error: unknown): Answer {
    return refuse(error, request, log);
  }

  return (request, hints) => {
    const { organizationId } = hints;
    const worker = workerFor(request, organizationId, threads.count);
    const first = { verdicts: NO_VERDICTS, others: [], facts: [], number: 1 };
    const attempt = { request, hints, worker, ...first };
    const refusedForMs = refusals.refusedForMs(organizationId, performance.now());
    if (refusedForMs === 0) return ask(attempt);
    return { kind: "error", error: toErrorMessage(refusedForNow(refusedForMs)) };
  };
}

function unavailable(why: string): ApiError {
  return new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", why);
}

function refusedForNow(milliseconds: number): ApiError {
  return unavailable(
    `the signer has stopped more than once at requests of this organization; it takes its requests again in ${Math.ceil(milliseconds / 1000)} s`,
  );
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A hostile host may send anything as a hint. */
function isId(text: string): boolean {
  return ID.test(text);
}

const NO_VERDICTS: Verdicts = new Map();

/** What the core reads. A hostile host may send more members, of any kind. */
const members: Partial<Record<Request["call"], readonly string[]>> = {
  submit: ["call", "endpoint", "body", "stamp", "records", "attachments", "isReread"],
  renew: ["call", "attachments"],
  "sign-webhooks": ["call", "events", "attachments"],
};

function plainRequest(request: Request): Request {
  const read = Object.entries(request).filter(([name]) => members[request.call]?.includes(name));
  return Object.fromEntries(read) as Request;
}

function plainVerdicts(verdicts: Verdicts): PlainVerdicts | null {
  if (verdicts.size === 0) return null;
  const plain = new Map<string, boolean | string | PlainOutcome>();
  for (const [name, verdict] of verdicts) {
    const isPlain = typeof verdict !== "object" || "refusal" in verdict;
    const shown = isPlain
      ? verdict
      : { ...verdict, bearerToken: verdict.bearerToken?.open() ?? null };
    plain.set(name, shown);
  }
  return plain;
}

function hiddenExchange({
  clientSecret,
  code,
  codeVerifier,
  ...rest
}: PlainExchange): CodeExchange {
  return {
    ...rest,
    clientSecret: received(clientSecret),
    code: secret(code),
    codeVerifier: secret(codeVerifier),
  };
}
