import { Worker } from "node:worker_threads";
import { ApiError } from "@keyhearth/engine/errors";
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

type Wanted = { language: Language; most: number };

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

/** A search takes a few milliseconds, and the first one in a language half a second. */
const MOST_MS = 5000;
const MOST_WAITING = 32;
const IDLE_MS = 5 * 60_000;

const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

type Waiting = {
  timer: NodeJS.Timeout;
  resolve(found: Passage[]): void;
  reject(error: Error): void;
};

export function createLibrary({
  site,
  entry = ENTRY,
  mostMs = MOST_MS,
  idleMs = IDLE_MS,
}: {
  site: Site;
  entry?: URL;
  mostMs?: number;
  idleMs?: number;
}): Library {
  const waiting = new Map<number, Waiting>();
  /** The tag of the records of which the thread has an index, by the base of their pages. */
  const loaded = new Map<string, string>();
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
    const its = waiting.get(message.id);
    waiting.delete(message.id);
    clearTimeout(its?.timer);
    if (message.kind === "found") its?.resolve(message.passages);
    else its?.reject(new Error(message.message));
    restWhenIdle();
  }

  function restWhenIdle() {
    clearTimeout(idle);
    if (waiting.size > 0) return;
    idle = setTimeout(() => void end(), idleMs);
    idle.unref();
  }

  /** What the thread knew is gone with it. */
  function forget() {
    worker = null;
    loaded.clear();
    for (const { timer, reject } of waiting.values()) {
      clearTimeout(timer);
      reject(takesTooLong());
    }
    waiting.clear();
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
    const current = await open(path, "HEAD");
    const tag = current?.status === 200 ? current.headers.get("etag") : null;
    if (tag === null || tag === undefined) throw notBuilt();
    if (loaded.get(base) === tag) return;
    const records = await open(path);
    if (records?.status !== 200) throw notBuilt();
    const bytes = new Uint8Array(await records.arrayBuffer());
    // Another search may have brought them meanwhile.
    if (loaded.get(base) === tag) return;
    loaded.set(base, tag);
    tell({ kind: "load", base, records: bytes }, [bytes.buffer]);
  }

  async function search(
    kind: "find" | "ask",
    text: string,
    { language, most }: Wanted,
  ): Promise<Passage[]> {
    if (waiting.size >= MOST_WAITING) throw busy();
    const bases = BASES[language];
    await Promise.all(bases.map(load));
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Passage[]>();
    const timer = setTimeout(() => void end(), mostMs);
    timer.unref();
    waiting.set(id, { timer, resolve, reject });
    tell({ kind, id, bases, text, most });
    return promise;
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
    stop: end,
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

function takesTooLong(): ApiError {
  const message = "the search took too long and was given up; try again with fewer words";
  return new TryLater("RESOURCE_EXHAUSTED", "RATE_LIMITED", message, 1);
}
