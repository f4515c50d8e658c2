import type { MessagePort } from "node:worker_threads";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import type { Mark } from "@keyhearth/engine/core/tickets";
import type { CodeExchange, ExchangeOutcome } from "@keyhearth/engine/people/code-exchanges";
import type { Outcome, WaitingCodes } from "@keyhearth/engine/people/waiting-codes";
import type { SegmentHead } from "@keyhearth/engine/receipts/receipts";
import type { Keyring } from "@keyhearth/engine/vault/keyring";

// What the first thread of the signer and its workers say to each other. A worker decides by what it is shown, and has no
// authority of its own: the first thread looks again before the answer leaves.

/** What a worker begins with. Its memory belongs to both threads, or is handed over. */
export type ThreadData = {
  keyring: Keyring;
  /** How many cores divide what one may keep. */
  cores: number;
  /** The lower 32 bits of the number of the call that it works on, or 0. They are read when it has died. */
  begun: Int32Array<SharedArrayBuffer>;
  /** A worker that asks about codes sleeps here until the answer is there. */
  asked: Int32Array<SharedArrayBuffer>;
  codes: MessagePort;
};

/** What the signer knows when a call begins. */
export type View = {
  nowMs: number;
  /** The run of the signer, which is the run of its codes. */
  run: string;
  /** In hex. */
  courierKey: string | null;
  /** The newest documents of the organizations that the call seems to be about. */
  newest: readonly Newest[];
  /** The names of facts. All others are believed to be false, and looked at again. */
  facts: readonly string[];
};

export type Newest = SegmentHead & { organizationId: string; hasMovedLately: boolean };

/** The name of a fact: was any document of this organization confirmed, or is this timestamp accepted no more? */
export function factName(kind: "known" | "spent", about: string | number): string {
  return `${kind} ${about}`;
}

export type PlainVerdicts = ReadonlyMap<string, boolean | string | PlainOutcome>;

export type ToThread =
  | { id: number; kind: "ask"; request: Request; verdicts: PlainVerdicts | null; view: View }
  /** Others have been served meanwhile. */
  | { id: number; kind: "go on"; view: View };

/** On what the answer relies, and what is to be done before it leaves. */
export type Reliance = {
  /** Documents that were the newest in the view. */
  documents: Mark[];
  facts: [name: string, believed: boolean][];
  /** Timestamps of requests that were accepted. */
  used: number[];
  /** The documents of a proposal, for which a ticket is opened. */
  proposed: Mark[] | null;
  events: CoreEvent[];
};

export type FromThread =
  | { kind: "ready" }
  | ({ id: number; tookMs: number } & Reply)
  /** What another thread did for this call is done. */
  | { id: number; kind: "resumable" };

export type Reply =
  | { kind: "answer"; answer: Answer; reliance: Reliance }
  /** There is more to do. If it waits for another thread, `resumable` says when that is done. */
  | { kind: "unfinished"; waits: boolean }
  | { kind: "unseen"; document: Mark }
  /** The worker has worked for a slice before it came to this one. */
  | { kind: "not begun" }
  | { kind: "tokens"; tokens: readonly string[] }
  | { kind: "exchange"; exchange: PlainExchange };

/** What a worker asks about one-time codes, which are counted in the first thread. */
export type Question =
  | { ask: "open"; args: Parameters<WaitingCodes["open"]> }
  | { ask: "secret"; args: Parameters<WaitingCodes["secret"]> }
  | { ask: "attempt"; place: Place; fingerprint: string; nowMs: number; isRight: boolean };

type Place = Parameters<WaitingCodes["attempt"]>[0];

export type Told =
  | { told: ReturnType<WaitingCodes["open" | "secret"]> | Outcome }
  | { failed: true };

/** Secrets are texts and bytes between threads, and hidden again by whoever gets them. */
export type PlainExchange = Omit<CodeExchange, "clientSecret" | "code" | "codeVerifier"> & {
  clientSecret: Uint8Array<ArrayBuffer>;
  code: string;
  codeVerifier: string;
};

export type PlainOutcome =
  | (Omit<Extract<ExchangeOutcome, { subject: string }>, "bearerToken"> & {
      bearerToken: string | null;
    })
  | Extract<ExchangeOutcome, { refusal: string }>;
