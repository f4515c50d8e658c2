/** A section that the service showed the model. */
export type ModelPassage = { titles: string[]; url: string };

/** How an answer of the model goes on. */
export type Told = { passages: ModelPassage[] } | { text: string };

/** How it ended. Of a cut answer the end is missing, and a closed one never began: nothing answers here, or not now. */
export type End = "complete" | "unknown" | "cut" | "closed" | "too-often";

/** Without a line for so long, the answer is taken for cut off. */
const STALL_MS = 30_000;

/** Whether the service that served this page has a model that answers. */
export function hasModel(): boolean {
  return document.querySelector('meta[name="keyhearth-assistant"][content="model"]') !== null;
}

/** Asks the service, and never throws. It calls `tell` until `signal` is aborted. */
export async function askModel(
  asked: { question: string; language: string },
  { signal, tell }: { signal: AbortSignal; tell: (told: Told) => void },
): Promise<End> {
  let hasText = false;
  try {
    const response = await fetch("/assistant", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(asked),
      credentials: "omit",
      signal,
    });
    if (response.status === 429) return "too-often";
    const type = response.headers.get("content-type") ?? "";
    // Some hosts answer 200 with a page to everything.
    if (!response.ok || !type.startsWith("application/jsonl") || !response.body) return "closed";
    for await (const line of linesOf(response.body)) {
      const told = readLine(line);
      if (told === null) break;
      if ("end" in told) {
        if (told.end === "complete" || told.end === "unknown") return told.end;
        break;
      }
      if (signal.aborted) return "cut";
      if ("text" in told) hasText = true;
      tell(told);
    }
    return hasText ? "cut" : "closed";
  } catch {
    return hasText ? "cut" : "closed";
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    // Whatever is still on its way is not waited for.
    reader.cancel().catch(() => {});
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("nothing came in time")), STALL_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Null if this is not a line of an answer. */
function readLine(line: string): Told | { end: unknown } | null {
  const told: unknown = JSON.parse(line);
  if (typeof told !== "object" || told === null) return null;
  if ("end" in told) return { end: told.end };
  if ("text" in told && typeof told.text === "string") return { text: told.text };
  if (!("passages" in told) || !Array.isArray(told.passages)) return null;
  return { passages: told.passages.filter(isPassage) };
}

/** Links lead to pages of this site only. */
function isPassage(given: unknown): given is ModelPassage {
  if (typeof given !== "object" || given === null) return false;
  const { titles, url } = given as Partial<Record<keyof ModelPassage, unknown>>;
  return (
    Array.isArray(titles) &&
    titles.every((title) => typeof title === "string") &&
    typeof url === "string" &&
    /^\/(?!\/)/.test(url)
  );
}
