import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { loadHasher } from "@keyhearth/crypto/primitives/node-keccak";
import { secret } from "@keyhearth/crypto/secret";
import type { CoreEvent, Marks, SharedMemory, Time } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import type { Mark } from "@keyhearth/engine/core/tickets";
import { Unfinished } from "@keyhearth/engine/core/unfinished";
import { Unseen } from "@keyhearth/engine/core/unseen";
import { createCore } from "@keyhearth/engine/door/create-core";
import { toErrorMessage } from "@keyhearth/engine/errors";
import {
  UnverifiedStatements,
  type Verdicts,
} from "@keyhearth/engine/people/attestation-statements";
import {
  type CodeExchange,
  type ExchangeOutcome,
  UnexchangedCode,
} from "@keyhearth/engine/people/code-exchanges";
import type { CodeTimes, Outcome } from "@keyhearth/engine/people/waiting-codes";
import { threadMs } from "@keyhearth/outbound/thread-time";
import { SLICE_MS } from "../turns/fair-queue.ts";
import { verifyOneByOne } from "../turns/verify-one-by-one.ts";
import { mapKeyring, received, takenToHandOver } from "./handed-over.ts";
import {
  type FromThread,
  factName,
  type PlainExchange,
  type PlainVerdicts,
  type Question,
  type Reply,
  type ThreadData,
  type Told,
  type ToThread,
  type View,
} from "./messages.ts";

/** One call of the core: what it is shown, and what it has relied on so far. */
type Work = {
  view: View;
  documents: Mark[];
  facts: [name: string, believed: boolean][];
  used: number[];
  proposed: Mark[] | null;
  events: CoreEvent[];
};

type Rest = (view: View) => Reply;
type Again = (verdicts: Verdicts, view: View) => Reply;

/**
 * A worker of the signer: the whole core, which reads, verifies, decides and signs, but has no memory of what is the newest,
 * what was used and what was counted (decision 34). All of that is what the first thread shows and does.
 */
export function serveThread() {
  const host = parentPort;
  if (!host) throw new Error("a worker of the signer runs as a thread");
  const { keyring, cores, begun, asked, codes } = workerData as ThreadData;
  // Without it, large payloads would be hashed in JavaScript until the first of them was.
  void loadHasher();

  let work: Work = workWith({
    nowMs: 0,
    run: "",
    courierKey: null,
    newest: [],
    facts: [],
  });

  function fact(name: string): boolean {
    const believed = work.view.facts.includes(name);
    work.facts.push([name, believed]);
    return believed;
  }

  const newestOf = (organizationId: string) =>
    work.view.newest.find((each) => each.organizationId === organizationId) ?? null;

  const marks: Marks = {
    isConfirmed(document) {
      const newest = newestOf(document.organizationId);
      const isNewest = newest?.number === document.version && newest.digest === document.digest;
      if (!isNewest) throw new Unseen(document);
      work.documents.push(document);
      return true;
    },
    newest: newestOf,
    hasMovedLately: (organizationId) => newestOf(organizationId)?.hasMovedLately ?? false,
    knows: (organizationId) => fact(factName("known", organizationId)),
    move: noMemory,
    reaches: noMemory,
    extend: noMemory,
    isFromBefore: noMemory,
  };
  const time: Time = {
    peek: () => work.view.nowMs,
    jumps: () => 0,
    isSpent: (timestampMs) => fact(factName("spent", timestampMs)),
    use: (timestampMs) => void work.used.push(timestampMs),
  };

  /** Sleeps until the first thread has answered, which never waits for a worker. */
  function ask(question: Question) {
    Atomics.store(asked, 0, 0);
    codes.postMessage(question);
    Atomics.wait(asked, 0, 0);
    const received: { message: Told } | undefined = receiveMessageOnPort(codes);
    if (!received || "failed" in received.message) {
      throw new Error("a question about codes without an answer");
    }
    return received.message.told;
  }

  const shared: SharedMemory = {
    tickets: {
      // The first thread opens it if the answer leaves.
      open(documents) {
        work.proposed = documents;
        return "";
      },
      close: noMemory,
    },
    waitingCodes: {
      get run() {
        return work.view.run;
      },
      open: (...args) => ask({ ask: "open", args }) as CodeTimes | null,
      secret(...args) {
        const told = ask({ ask: "secret", args }) as Uint8Array | null;
        return told && received(told);
      },
      attempt: (place, { isRight, ...request }) =>
        ask({ ask: "attempt", place, ...request, isRight: isRight() }) as Outcome,
    },
  };

  const core = createCore({
    keyring: mapKeyring(keyring, received),
    marks,
    now: () => work.view.nowMs,
    time,
    random: randomBytes,
    log: (event) => void work.events.push(plainEvent(event)),
    courierKey() {
      const { courierKey } = work.view;
      return courierKey === null ? null : decodeHex(courierKey);
    },
    shared: { ...shared, cores },
  });

  /** The rest of calls that are not done, by what is known when it is done. */
  const rests = new Map<number, Rest>();
  /** What a call took while it was not being served. */
  const tookBeside = new Map<number, number>();
  let servedMs = 0;

  function send(messages: FromThread[], handedOver: ArrayBuffer[] = []) {
    host?.postMessage(messages, handedOver);
  }

  // The first thread makes the calls of the next worker again.
  host.on("messageerror", (error) => {
    throw error;
  });

  /** What another thread does for a call, until the rest of it can be done. */
  function wait(id: number, after: Promise<Rest>) {
    const before = threadMs() - servedMs;
    const ready = (rest: Rest) => {
      rests.set(id, rest);
      tookBeside.set(id, Math.max(0, threadMs() - servedMs - before));
      send([{ id, kind: "resumable" }]);
    };
    after.then(ready, (error: unknown) => ready((view) => failed(workWith(view), error)));
  }

  function failed(own: Work, error: unknown): Reply {
    return answered(own, { kind: "error", error: toErrorMessage(error) });
  }

  function answered(own: Work, answer: Answer): Reply {
    const { view: _, ...reliance } = own;
    return { kind: "answer", answer, reliance };
  }

  function replyTo(id: number, own: Work, run: () => Answer, again: Again): Reply {
    work = own;
    try {
      return answered(own, run());
    } catch (error) {
      if (error instanceof Unseen) return { kind: "unseen", document: error.document };
      if (error instanceof UnexchangedCode)
        return { kind: "exchange", exchange: plain(error.exchange) };
      if (error instanceof UnverifiedStatements) {
        const { statements, tokens } = error;
        if (tokens.length > 0) return { kind: "tokens", tokens };
        wait(
          id,
          verifyOneByOne(statements).then((verdicts) => (view) => again(verdicts, view)),
        );
        return { kind: "unfinished", waits: true };
      }
      if (!(error instanceof Unfinished)) return failed(own, error);
      const { after, goOn } = error;
      const rest = () => replyTo(id, own, goOn, again);
      if (after)
        wait(
          id,
          after.then(() => rest),
        );
      else rests.set(id, rest);
      return { kind: "unfinished", waits: after !== undefined };
    }
  }

  function begin(id: number, request: Request, verdicts: Verdicts, view: View): Reply {
    const again: Again = (more, later) =>
      begin(id, request, new Map([...verdicts, ...more]), later);
    return replyTo(id, workWith(view), () => core(request, verdicts), again);
  }

  function handle(message: ToThread): Reply {
    const { id } = message;
    if (message.kind === "ask") {
      return begin(id, message.request, hidden(message.verdicts), message.view);
    }
    const rest = rests.get(id);
    if (!rests.delete(id) || !rest)
      return failed(workWith(message.view), new Error("a call that was not begun"));
    return rest(message.view);
  }

  function serve(message: ToThread): FromThread & { tookMs: number } {
    const { id } = message;
    Atomics.store(begun, 0, id | 0);
    const before = threadMs();
    const reply = handle(message);
    const tookMs = threadMs() - before;
    servedMs += tookMs;
    const beside = tookBeside.get(id) ?? 0;
    tookBeside.delete(id);
    // While another thread works for the call, it may still be what ends this one.
    const isUnderWay = reply.kind === "unfinished" && reply.waits;
    if (!isUnderWay) Atomics.store(begun, 0, 0);
    return { id, tookMs: tookMs + beside, ...reply };
  }

  host.on("message", (batch: ToThread[]) => {
    const beganAt = performance.now();
    let sentAt = beganAt;
    let replies: FromThread[] = [];
    let handedOver: ArrayBuffer[] = [];
    const flush = () => {
      if (replies.length > 0) send(replies, handedOver);
      [replies, handedOver] = [[], []];
    };
    for (const [index, message] of batch.entries()) {
      const reply = serve(message);
      replies.push(reply);
      if ("exchange" in reply) handedOver.push(reply.exchange.clientSecret.buffer);
      const at = performance.now();
      if (at - beganAt >= SLICE_MS) {
        // Each goes to the front of those that wait, so the first one goes last.
        const left = batch.slice(index + 1).toReversed();
        replies.push(...left.map(({ id }) => ({ id, tookMs: 0, kind: "not begun" as const })));
        break;
      }
      if (at - sentAt < REPLY_MS) continue;
      sentAt = at;
      flush();
    }
    flush();
  });
  send([{ kind: "ready" }]);
}

/** Replies of one message are sent together, but none waits for longer. */
const REPLY_MS = 1;

function workWith(view: View): Work {
  return { view, documents: [], facts: [], used: [], proposed: null, events: [] };
}

/** The first thread keeps it for itself, and handles what needs it. */
function noMemory(): never {
  throw new Error("a worker of the signer moves no marks");
}

/** Only what every thread can read of an error. */
function plainEvent({ cause, ...event }: CoreEvent): CoreEvent {
  if (!(cause instanceof Error)) return event;
  return { ...event, cause: Object.assign(new Error(cause.message), { stack: cause.stack }) };
}

function plain(exchange: CodeExchange): PlainExchange {
  const { clientSecret, code, codeVerifier, ...rest } = exchange;
  return {
    ...rest,
    // Only the copy that the exchange wipes is left.
    clientSecret: takenToHandOver(clientSecret),
    code: code.open(),
    codeVerifier: codeVerifier.open(),
  };
}

function hidden(verdicts: PlainVerdicts | null): Verdicts {
  const again = new Map<string, boolean | string | ExchangeOutcome>();
  for (const [name, verdict] of verdicts ?? []) {
    const isPlain = typeof verdict !== "object" || "refusal" in verdict;
    if (isPlain) again.set(name, verdict);
    else {
      const { bearerToken } = verdict;
      const hiddenToken = bearerToken === null ? null : secret(bearerToken);
      again.set(name, { ...verdict, bearerToken: hiddenToken });
    }
  }
  return again;
}
