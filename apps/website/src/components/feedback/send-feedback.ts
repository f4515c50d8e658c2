/** What the service accepts. Its limit of the text is in UTF-16 units, as that of a text field. */
export const MAX_TEXT_LENGTH = 1000;
const MAX_BODY_BYTES = 2048;

const TIMEOUT_MS = 15_000;

export type PageAnswer = { page: string; helpful: boolean; text: string };

export type Outcome =
  | { kind: "stored" }
  | { kind: "too-long" }
  | { kind: "too-often"; retryAfterSeconds: number }
  | { kind: "refused"; message: string }
  /** Nothing takes feedback here: a host of plain files, or a service that is full or set up otherwise. */
  | { kind: "closed" }
  | { kind: "unreachable" };

/** Sends an answer to the service that serves the page. Never throws. */
export async function sendFeedback({ page, helpful, text }: PageAnswer): Promise<Outcome> {
  const body = JSON.stringify({ page, helpful, ...(text.trim() && { text: text.trim() }) });
  if (new TextEncoder().encode(body).length > MAX_BODY_BYTES) return { kind: "too-long" };
  try {
    const response = await fetch("/feedback", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return await outcomeOf(response);
  } catch {
    return { kind: "unreachable" };
  }
}

/** Some hosts answer 200 with a page to everything, so only the service's own answer counts. */
async function outcomeOf(response: Response): Promise<Outcome> {
  const { status, headers } = response;
  if (status === 204) return { kind: "stored" };
  const retryAfterSeconds = Number(headers.get("retry-after") ?? 0);
  if (status === 429 && retryAfterSeconds > 0) return { kind: "too-often", retryAfterSeconds };
  if (status >= 500 && status !== 501) return { kind: "unreachable" };
  if (status !== 400 && status !== 413) return { kind: "closed" };
  const message = messageOf(await response.json());
  return message === "" ? { kind: "closed" } : { kind: "refused", message };
}

function messageOf(answer: unknown): string {
  if (typeof answer !== "object" || answer === null || !("message" in answer)) return "";
  return typeof answer.message === "string" ? answer.message : "";
}
