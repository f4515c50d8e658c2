import { ApiError } from "@keyhearth/engine/errors";
import { unshown } from "@keyhearth/engine/fields/parse";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import { onceAMinute } from "@keyhearth/outbound/once-a-minute";
import { MAX_QUESTION_LENGTH } from "@keyhearth/search/answer-question";
import type { Context } from "hono";
import * as z from "zod";
import type { AssistantModel } from "../config/assistant-model.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { createPlaces } from "../host/places.ts";
import {
  type ClientAddress,
  createAddressLimit,
  createRateLimit,
  type NewRateLimit,
  takeSaying,
} from "../host/rate-limit.ts";
import { createHeldBytes, type HeldBytes } from "../http/held-bytes.ts";
import { readJsonBody } from "../http/json-body.ts";
import { endOfTurn } from "../http/newcomers.ts";
import { assertFromOwnPage } from "../http/own-pages.ts";
import { methodNotAllowed } from "../http/routes.ts";
import { LANGUAGES, type Library, type Wanted } from "../library/library.ts";
import type { Passage } from "../library/messages.ts";
import { partOf } from "../part-of.ts";
import { type Env, headerOf, socketAddressOf } from "../wire/request.ts";
import { askModel, MODEL_LIMITS, ModelFailed, type ModelLimits } from "./model.ts";
import { messagesFor, NO_ANSWER } from "./prompt.ts";

/**
 * Has the operator's model answer readers' questions from passages of the site. Anybody can ask, so it is bounded in every
 * direction: by sender, in all, in size, in time, and by how many answers are under way. Nothing of a question is stored
 * or logged.
 */
export type Assistant = (c: Context<Env>) => Promise<Response>;

/** A question of the most characters, each of four bytes, and what is around it. */
export const MAX_ASKED_BYTES = 4 * MAX_QUESTION_LENGTH + 512;

export const ASSISTANT_LIMITS = {
  /** One address asks this many at once, and as many again within a minute. */
  ofAddress: 6,
  /** What one address or IPv6 site may ask within a day, and all together. */
  ofSite: 200,
  inTotal: 2000,
  /** Answers under way, of one address or IPv6 site, and in all. */
  openOfSite: 2,
  open: 16,
};

const MINUTE_S = 60;
const DAY_S = 86_400;

const MOST_PASSAGES = 6;

/** For a reader who takes the answer slowly, after the model's own time. */
const GRACE_MS = 10_000;

/** Readers may paste a key by mistake, so no message shows it. */
const Question = z
  .string()
  .max(MAX_QUESTION_LENGTH, `must have at most ${MAX_QUESTION_LENGTH} characters`)
  .regex(/\S/, "must not be empty")
  .register(unshown, {});

const Body = z.strictObject({ question: Question, language: z.enum(LANGUAGES) });

/** One line of an answer, in JSON. */
export type AnswerLine =
  | { passages: { titles: string[]; url: string }[] }
  | { text: string }
  /** Unknown is what the passages have no answer to. A failed answer has no text, and of a cut one the end is missing. */
  | { end: "complete" | "unknown" | "failed" | "cut" };

type AssistantOptions = {
  host: Pick<Host, "now" | "log"> & Partial<Pick<Host, "workers">>;
  /** Null if the pages answer by themselves. */
  model: AssistantModel | null;
  library: Pick<Library, "ask">;
  /** The origin of the site. */
  publicUrl: string;
  clientAddress: ClientAddress;
  newRateLimit?: NewRateLimit;
  held?: HeldBytes;
  limits?: typeof ASSISTANT_LIMITS;
  modelLimits?: ModelLimits;
};

export function createAssistant(options: AssistantOptions): Assistant {
  const { host, model, publicUrl, clientAddress, newRateLimit = createRateLimit } = options;
  const {
    held = createHeldBytes(),
    limits = ASSISTANT_LIMITS,
    modelLimits = MODEL_LIMITS,
  } = options;
  const perAddress = createAddressLimit(
    {
      name: "assistant-address",
      perSecond: limits.ofAddress / MINUTE_S,
      burst: limits.ofAddress,
    },
    newRateLimit,
  );
  const aDay = (name: string, most: number) =>
    newRateLimit({ name, perSecond: most / DAY_S, burst: most });
  const ofSite = aDay("assistant-site", limits.ofSite);
  const total = aDay("assistant", limits.inTotal);
  const open = partOf({ ofSite: limits.openOfSite, inTotal: limits.open }, host.workers ?? 1);
  const places = createPlaces((most) => tooMany(most, 1));
  const isTold = onceAMinute<string>();

  function warn(error: ModelFailed) {
    if (isTold(error.message)) {
      host.log.warn({ reason: error.message }, "the assistant’s model gave no answer");
    }
  }

  return async (c) => {
    if (c.req.method !== "POST") throw methodNotAllowed(c, "POST", "`/assistant` takes POST");
    if (model === null) throw noModel();
    // A page of another site must not use up what its visitor may ask.
    assertFromOwnPage(c, publicUrl, "questions come from pages of this site only");
    const address = clientAddress(socketAddressOf(c), headerOf(c, "x-forwarded-for"));
    const site = siteOf(address);
    const left = takeSaying(
      perAddress,
      address,
      host.now(),
      `too many questions: at most ${limits.ofAddress} a minute`,
    );
    for (const [name, value] of Object.entries(left)) c.header(name, value);
    const { question, language } = await readJsonBody(c, Body, {
      address,
      held,
      maxBytes: MAX_ASKED_BYTES,
    });
    // What follows waits for the thread that searches, and for the model.
    endOfTurn(c.env?.incoming)?.();
    const leave = places.take([
      { key: `site ${site}`, most: open.ofSite, whose: "from your address" },
      { key: "all", most: open.inTotal, whose: "from everybody" },
    ]);
    try {
      const passages = await findPassages(options.library, question, {
        language,
        sender: site,
        signal: c.req.raw.signal,
      });
      if (passages === null) {
        leave();
        return answerOf(c, failed(), { mostMs: GRACE_MS, onEnd() {} });
      }
      const isKnown = passages.length > 0;
      if (isKnown) {
        takeSaying(
          ofSite,
          site,
          host.now(),
          `too many questions: at most ${limits.ofSite} a day from your address`,
        );
        takeSaying(
          total,
          "",
          host.now(),
          `too many questions: at most ${limits.inTotal} a day from everybody`,
        );
      }
      const gone = new AbortController();
      const pieces = isKnown
        ? askModel(model, messagesFor(question, { language, passages }), {
            signal: gone.signal,
            limits: modelLimits,
          })
        : nothing();
      return answerOf(c, linesOf(passages, pieces, warn), {
        mostMs: modelLimits.totalMs + GRACE_MS,
        onEnd() {
          gone.abort();
          leave();
        },
      });
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Null if the search takes too long on a busy machine. The browser of the reader can search by itself. */
async function findPassages(
  library: Pick<Library, "ask">,
  question: string,
  asked: Omit<Wanted, "most">,
): Promise<Passage[] | null> {
  try {
    return await library.ask(question, { ...asked, most: MOST_PASSAGES });
  } catch (error) {
    if (error instanceof TryLater) return null;
    throw error;
  }
}

function noModel(): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "no model answers here: the assistant quotes the pages, in the browser, unless KEYHEARTH_ASSISTANT_URL is set",
  );
}

async function* failed(): AsyncGenerator<AnswerLine, void> {
  yield { end: "failed" };
}

async function* nothing(): AsyncGenerator<string, void> {}

function tooMany(most: string, seconds: number): TryLater {
  const message = `too many questions: ${most}; try again in ${seconds} s`;
  return new TryLater("RESOURCE_EXHAUSTED", "RATE_LIMITED", message, seconds);
}

/** A model that finds no answer says one word, which readers do not see. */
async function* withoutRefusal(pieces: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let begun = "";
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    begun += next.value;
    const start = begun.trimStart();
    if (start.startsWith(NO_ANSWER)) return;
    if (NO_ANSWER.startsWith(start)) continue;
    yield begun;
    begun = "";
    break;
  }
  if (begun !== "") yield begun;
  yield* pieces;
}

/** Text that shows as what it is: nothing that reorders or hides what is around it. */
function shownText(text: string): string {
  return text.toWellFormed().replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
}

async function* linesOf(
  passages: Passage[],
  pieces: AsyncGenerator<string, void>,
  onFailure: (error: ModelFailed) => void,
): AsyncGenerator<AnswerLine, void> {
  yield { passages: passages.map(({ titles, path }) => ({ titles, url: path })) };
  let hasText = false;
  try {
    for await (const piece of withoutRefusal(pieces)) {
      const text = shownText(piece);
      if (text === "") continue;
      yield { text };
      hasText = true;
    }
    yield { end: hasText ? "complete" : "unknown" };
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error;
    onFailure(error);
    yield { end: hasText ? "cut" : "failed" };
  } finally {
    await pieces.return();
  }
}

type Ending = { mostMs: number; onEnd: () => void };

/** Sends a line when the one before it has left. `onEnd` is also called when the reader leaves, or takes too long. */
function answerOf(
  c: Context<Env>,
  all: AsyncGenerator<AnswerLine, void>,
  { mostMs, onEnd }: Ending,
): Response {
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  function end() {
    clearTimeout(timer);
    onEnd();
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setTimeout(() => {
        end();
        controller.error(new Error("the reader takes too long"));
      }, mostMs);
      timer.unref();
    },
    async pull(controller) {
      try {
        const { done, value } = await all.next();
        if (!done) return controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel() {
      end();
      await all.return();
    },
  });
  return c.body(body, 200, {
    "Content-Type": "application/jsonl; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    // Proxies that collect an answer would keep its first word back.
    "X-Accel-Buffering": "no",
  });
}
