import { randomInt } from "node:crypto";
import { Worker } from "node:worker_threads";
import { ApiError } from "@keyhearth/engine/errors";
import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import { deferred } from "@keyhearth/outbound/deferred";
import { RECORDS_FILE } from "@keyhearth/search/records";
import { TryLater } from "../errors.ts";
import type { Site } from "../serve/site.ts";
import type { FromLibrary, Passage, ToLibrary } from "./messages.ts";
import { sectionOf } from "./section.ts";

/**
 * Finds passages of the documentation, in a thread that starts when somebody asks and ends when nobody does, and reads
 * pages as Markdown. All of it is what the site serves to everybody.
 */
export type Library = {
  find(text: string, wanted: Wanted): Promise<Passage[]>;
  /** The sections that a question is about, or nothing if the documentation has no answer to it. */
  ask(text: string, wanted: Wanted): Promise<Passage[]>;
  /** A page, or the section that the anchor of its path names. Null if there is no such page. */
  read(path: string): Promise<Reading | null>;
  stop(): Promise<void>;
};

export type Wanted = {
  language: Language;
  most: number;
  /** Who asks, as far as one is told from another. They take turns. */
  sender: string;
  /** Aborted when the one who asks has left: then the search is dropped. */
  signal?: AbortSignal | undefined;
};

export type Reading = {
  path: string;
  /** Markdown. */
  text: string;
  /** Whether the path's anchor names a section that was not found, so that this is the whole page. */
  isWhole: boolean;
};

export const LANGUAGES = ["en", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Where the pages of a language are, and then those that are read where it has no translation. */
const BASES: Record<Language, string[]> = { en: ["/"], es: ["/es/", "/"] };

const ENTRY = new URL("../library-thread.ts", import.meta.url);

/** A search takes a few milliseconds. */
const MOST_MS = 5000;
/** Making the index of a language takes half a second, and a busy machine may take a minute. */
const MOST_LOADING_MS = 120_000;
/** In all, and of one sender. Beyond them, the sender with the most loses its newest. */
const MOST_WAITING = 32;
const MOST_OF_SENDER = 4;
const IDLE_MS = 5 * 60_000;
const HALF_LIFE_MS = 30_000;
const MOST_SENDERS = 10_000;

const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

type Search = {
  kind: "find" | "ask";
  text: string;
  wanted: Wanted;
  resolve(found: Passage[]): void;
  reject(error: unknown): void;
};

/** What the thread is asked now. */
type Current = { id: number; resolve(found: Passage[]): void; reject(error: Error): void };

/** Done when the thread has made an index. */
type Loading = { promise: Promise<void>; resolve(): void; reject(error: Error): void };

export function createLibrary({
  site,
  entry = ENTRY,
  mostMs = MOST_MS,
  mostLoadingMs = MOST_LOADING_MS,
  idleMs = IDLE_MS,
}: {
  site: Site;
  entry?: URL;
  mostMs?: number;
  mostLoadingMs?: number;
  idleMs?: number;
}): Library {
  const waiting = new Map<string, Search[]>();
  const took = createTook();
  let current: Current | null = null;
  let isServing = false;
  /** The tag of the records of which the thread has an index, by the base of their pages. */
  const loaded = new Map<string, string>();
  /** Of which it makes one, by the same. */
  const loading = new Map<string, Loading>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const open = (path: string, method = "GET") =>
    site(new Request(`http://localhost${path}`, { method }));

  function tell(message: ToLibrary, transferred: ArrayBuffer[] = []) {
    worker ??= start();
    worker.postMessage(message, transferred);
  }

  function start(): Worker {
    const started = new Worker(entry, { resourceLimits });
    started.unref();
    started.on("message", settle);
    // Without a listener, a thread that runs out of memory would end the process.
    started.on("error", () => {});
    started.on("exit", () => {
      if (worker === started) forget();
    });
    return started;
  }

  function settle(message: FromLibrary) {
    if (message.kind === "loaded") return loading.get(message.base)?.resolve();
    if (current?.id !== message.id) return;
    if (message.kind === "found") current.resolve(message.passages);
    else current.reject(new Error(message.message));
  }

  function restWhenIdle() {
    clearTimeout(idle);
    idle = setTimeout(() => void end(), idleMs);
    idle.unref();
  }

  /** What the thread knew is gone with it. The searches that wait get another one. */
  function forget() {
    worker = null;
    loaded.clear();
    for (const { reject } of loading.values()) reject(takesTooLong());
    current?.reject(takesTooLong());
  }

  async function end() {
    const ended = worker;
    clearTimeout(idle);
    forget();
    await ended?.terminate();
  }

  /** Has the thread make an index of the records that the site has now. */
  async function load(base: string) {
    const path = `${base}${RECORDS_FILE}`;
    const now = await open(path, "HEAD");
    const tag = now?.status === 200 ? now.headers.get("etag") : null;
    if (tag === null || tag === undefined) throw notBuilt();
    if (loaded.get(base) === tag) return;
    const begun = loading.get(base);
    if (begun) return begun.promise;
    const records = await open(path);
    if (records?.status !== 200) throw notBuilt();
    const bytes = new Uint8Array(await records.arrayBuffer());
    const { promise, resolve, reject } = deferred<void>();
    const made = within(mostLoadingMs, promise).finally(() => loading.delete(base));
    loading.set(base, { promise: made, resolve, reject });
    tell({ kind: "load", base, records: bytes }, [bytes.buffer]);
    await made;
    loaded.set(base, tag);
  }

  /** Ends the thread if this is not done in time. */
  function within<T>(ms: number, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => void end(), ms);
    timer.unref();
    return work.finally(() => clearTimeout(timer));
  }

  function search(kind: Search["kind"], text: string, wanted: Wanted): Promise<Passage[]> {
    const { sender, signal } = wanted;
    if (signal?.aborted) return Promise.reject(left());
    const its = waiting.get(sender) ?? [];
    if (its.length >= MOST_OF_SENDER) return Promise.reject(busy());
    const { promise, resolve, reject } = deferred<Passage[]>();
    const asked: Search = { kind, text, wanted, resolve, reject };
    waiting.set(sender, [...its, asked]);
    const all = [...waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if (all > MOST_WAITING) dropNewestOfLargest();
    void serveAll();
    const leave = () => {
      if (drop(asked)) reject(left());
    };
    signal?.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  /**
   * So those who ask for much only keep each other out. Of several with as many searches, it is the one whose searches took the
   * thread longest lately, so that senders who come one by one keep nobody out who asks now and then. Of several that took it for
   * as long, chance decides, because somebody who comes last every time would never be served.
   */
  function dropNewestOfLargest() {
    let largest: Search[] = [];
    let longestMs = 0;
    let alike = 0;
    const nowMs = performance.now();
    for (const [sender, its] of waiting) {
      const tookMs = took.of(sender, nowMs);
      const more = its.length - largest.length || tookMs - longestMs;
      if (more < 0) continue;
      alike = more > 0 ? 1 : alike + 1;
      if (randomInt(alike) > 0) continue;
      largest = its;
      longestMs = tookMs;
    }
    const newest = largest.at(-1);
    if (newest && drop(newest)) newest.reject(busy());
  }

  /** False if it does not wait. */
  function drop(asked: Search): boolean {
    const { sender } = asked.wanted;
    const its = waiting.get(sender) ?? [];
    const others = its.filter((each) => each !== asked);
    if (others.length === 0) waiting.delete(sender);
    else if (others.length < its.length) waiting.set(sender, others);
    return others.length < its.length;
  }

  /** One search after the other, the senders in turns. */
  async function serveAll() {
    if (isServing) return;
    isServing = true;
    clearTimeout(idle);
    for (let next = takeNext(); next; next = takeNext()) {
      await serve(next).then(next.resolve, next.reject);
    }
    isServing = false;
    if (worker) restWhenIdle();
  }

  function takeNext(): Search | undefined {
    const [first] = waiting;
    if (!first) return undefined;
    const [sender, [next, ...others]] = first;
    waiting.delete(sender);
    // At the end, after everybody who waits.
    if (others.length > 0) waiting.set(sender, others);
    return next;
  }

  async function serve({ kind, text, wanted }: Search): Promise<Passage[]> {
    const bases = BASES[wanted.language];
    await Promise.all(bases.map(load));
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = deferred<Passage[]>();
    current = { id, resolve, reject };
    const startedAt = performance.now();
    tell({ kind, id, bases, text, most: wanted.most });
    return within(mostMs, promise).finally(() => {
      current = null;
      took.add(wanted.sender, performance.now(), performance.now() - startedAt);
    });
  }

  return {
    find: (text, wanted) => search("find", text, wanted),
    ask: (text, wanted) => search("ask", text, wanted),
    async read(path) {
      const [page = "", anchor = ""] = path.split("#", 2);
      let answer = await open(markdownOf(page));
      // A page that moved says where it is.
      const moved = answer?.status === 301 ? answer.headers.get("location") : null;
      if (moved) answer = await open(moved);
      if (answer?.status !== 200) return null;
      const whole = await answer.text();
      const section = anchor === "" ? null : sectionOf(whole, anchor);
      return { path, text: section ?? whole, isWhole: section === null };
    },
    async stop() {
      for (const { reject } of [...waiting.values()].flat()) reject(takesTooLong());
      waiting.clear();
      await end();
    },
  };
}

/** How long the searches of each sender took the thread. Half of it is forgotten after half a minute. */
function createTook() {
  const senders = new Map<string, { ms: number; atMs: number }>();

  function of(sender: string, nowMs: number): number {
    const { ms, atMs } = senders.get(sender) ?? { ms: 0, atMs: nowMs };
    return ms * 2 ** ((atMs - nowMs) / HALF_LIFE_MS);
  }

  return {
    of,
    add(sender: string, nowMs: number, ms: number) {
      keepNewest(senders, MOST_SENDERS, sender, { ms: of(sender, nowMs) + ms, atMs: nowMs });
    },
  };
}

/** Each page has a file of its text. */
function markdownOf(page: string): string {
  const bare = page.replace(/\/$/, "");
  return bare === "" ? "/index.md" : `${bare}.md`;
}

function notBuilt(): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "the documentation is not built here, so nothing can be searched; run npm run build in the repository",
  );
}

function busy(): ApiError {
  const message = "many searches are under way; try again in a second";
  return new TryLater("RESOURCE_EXHAUSTED", "RATE_LIMITED", message, 1);
}

/** Nobody reads it. */
function left(): ApiError {
  return new ApiError(
    "INVALID_ARGUMENT",
    "BAD_REQUEST_BODY",
    "bad request body: the connection ended before the search began",
  );
}

function takesTooLong(): ApiError {
  const message = "the search took too long and was given up; try again with fewer words";
  return new TryLater("RESOURCE_EXHAUSTED", "RATE_LIMITED", message, 1);
}
