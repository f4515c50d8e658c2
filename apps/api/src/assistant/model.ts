import { setTimeout as delay } from "node:timers/promises";
import type { AssistantModel } from "../config/assistant-model.ts";
import type { Message } from "./prompt.ts";

/** The operator's model, asked for one answer that comes in pieces. */

/** Why there is no answer, or no end of it, for the operator's log. It repeats nothing that the model or a reader wrote. */
export class ModelFailed extends Error {}

export type ModelLimits = {
  /** Until the first piece, and between two pieces. */
  stallMs: number;
  /** From the question to the end. */
  totalMs: number;
  /** Of the text that it may send, and of all bytes around it. */
  mostCharacters: number;
  mostBytes: number;
};

export const MODEL_LIMITS: ModelLimits = {
  stallMs: 15_000,
  totalMs: 60_000,
  mostCharacters: 6000,
  mostBytes: 512 * 1024,
};

/**
 * The text of an answer, piece by piece. Redirects are not followed, so the key goes to the operator's address and nowhere
 * else. Throws `ModelFailed` unless the model says that it has finished.
 */
export async function* askModel(
  { url, model, key }: AssistantModel,
  messages: Message[],
  { signal, limits = MODEL_LIMITS }: { signal: AbortSignal; limits?: ModelLimits },
): AsyncGenerator<string, void> {
  const ending = new AbortController();
  const all = AbortSignal.any([signal, ending.signal, AbortSignal.timeout(limits.totalMs)]);
  try {
    const response = await untilStalled(
      fetch(url, {
        method: "POST",
        redirect: "error",
        headers: {
          "Content-Type": "application/json",
          Accept: "text/event-stream",
          "User-Agent": "Keyhearth",
          ...(key !== null && { Authorization: `Bearer ${key.open()}` }),
        },
        body: JSON.stringify({ model, messages, stream: true }),
        signal: all,
      }),
      limits.stallMs,
    );
    yield* readAnswer(response, limits);
  } catch (error) {
    if (error instanceof ModelFailed) throw error;
    if (signal.aborted) throw new ModelFailed("the reader left");
    throw new ModelFailed(all.aborted ? "it took too long" : `it is not reached: ${codeOf(error)}`);
  } finally {
    // Whatever of the answer is still on its way is not waited for.
    ending.abort();
  }
}

async function* readAnswer(response: Response, limits: ModelLimits): AsyncGenerator<string, void> {
  const { status, headers, body } = response;
  if (status !== 200) throw new ModelFailed(`it answers ${status}`);
  const type = headers.get("content-type") ?? "";
  if (!/^text\/event-stream\b/i.test(type) || body === null) {
    throw new ModelFailed("its answer is no stream of events");
  }
  let characters = 0;
  for await (const data of eventsOf(body, limits)) {
    if (data === "[DONE]") return;
    const { text, isLast } = readChunk(data);
    characters += text.length;
    if (characters > limits.mostCharacters) throw new ModelFailed("its answer is too long");
    if (text !== "") yield text;
    if (isLast) return;
  }
  throw new ModelFailed("its answer was cut off");
}

/** The data of server-sent events. Each is one line in this protocol. */
async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  { stallMs, mostBytes }: ModelLimits,
): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let bytes = 0;
  while (true) {
    const { done, value } = await untilStalled(reader.read(), stallMs);
    if (done) return;
    bytes += value.length;
    if (bytes > mostBytes) throw new ModelFailed("its answer is too long");
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) yield line.slice("data:".length).trim();
    }
  }
}

/** Only the text is read, and that the answer has ended by itself. */
function readChunk(data: string): { text: string; isLast: boolean } {
  let chunk: { choices?: { delta?: { content?: unknown }; finish_reason?: unknown }[] } | null;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw new ModelFailed("its answer is not in the form of chat completions");
  }
  const [choice] = Array.isArray(chunk?.choices) ? chunk.choices : [];
  const text = choice?.delta?.content;
  return { text: typeof text === "string" ? text : "", isLast: choice?.finish_reason === "stop" };
}

async function untilStalled<T>(work: Promise<T>, stallMs: number): Promise<T> {
  const waiting = new AbortController();
  const stalled = delay(stallMs, undefined, { signal: waiting.signal, ref: false }).then(() => {
    throw new ModelFailed(`it sent nothing for ${stallMs / 1000} seconds`);
  });
  // It ends with an error once nobody waits.
  stalled.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, stalled]);
  } finally {
    waiting.abort();
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "the request failed";
}
