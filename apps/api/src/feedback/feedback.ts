import { randomUUID } from "node:crypto";
import { ApiError } from "@keyhearth/engine/errors";
import { unshown } from "@keyhearth/engine/fields/parse";
import { notes } from "@keyhearth/engine/fields/schemas";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import type { Context } from "hono";
import * as z from "zod";
import type { Host } from "../host/host.ts";
import {
  type ClientAddress,
  createAddressLimit,
  createRateLimit,
  type NewRateLimit,
  takeSaying,
} from "../host/rate-limit.ts";
import { cors } from "../http/answer.ts";
import { createHeldBytes, type HeldBytes } from "../http/held-bytes.ts";
import { readJsonBody } from "../http/json-body.ts";
import { assertFromOwnPage } from "../http/own-pages.ts";
import { methodNotAllowed } from "../http/routes.ts";
import { insertPageFeedback } from "../store/page-feedback.ts";
import { type Env, socketAddressOf } from "../wire/request.ts";

/**
 * Takes what readers say about a page. Anybody can send it, so it is bounded in every direction: by
 * sender, in all, in size, in number and in time.
 */
export type Feedback = (c: Context<Env>) => Promise<Response>;

export const MAX_FEEDBACK_BYTES = 2048;

/** One address sends this many at once, and as many again within a minute. */
export const PER_ADDRESS = 5;
const MINUTE_S = 60;

/** All addresses together, at once, and as many again within an hour. */
export const IN_TOTAL = 200;
const HOUR_S = 3600;

/** What one address or IPv6 site may send of that, so that no stranger keeps the others from being heard. */
export const OF_TOTAL = 20;

/** With the longest texts, this many take about 50 MB. */
const MAX_STORED = 20_000;

/** Readers may paste a key by mistake, so no message shows it. */
const comment = notes(1000, "What the reader wrote.").register(unshown, {});

const Body = z.strictObject({
  page: z
    .string()
    .min(1, "must not be empty")
    .max(200, "must have at most 200 characters")
    .regex(/^(\/[\w.~-]+)*\/?$/, "not the path of a page, such as /concepts/wallets"),
  helpful: z.boolean(),
  text: comment.optional(),
});

type FeedbackOptions = {
  host: Host;
  /** The origin of the site. */
  publicUrl: string;
  clientAddress: ClientAddress;
  newRateLimit?: NewRateLimit;
  /** How many bodies of one address may be on their way, if not as many as ever. */
  held?: HeldBytes;
  mostStored?: number;
};

export function createFeedback({
  host,
  publicUrl,
  clientAddress,
  newRateLimit = createRateLimit,
  held = createHeldBytes(),
  mostStored = MAX_STORED,
}: FeedbackOptions): Feedback {
  const perAddress = createAddressLimit(
    { name: "feedback-address", perSecond: PER_ADDRESS / MINUTE_S, burst: PER_ADDRESS },
    newRateLimit,
  );
  const total = newRateLimit({ name: "feedback", perSecond: IN_TOTAL / HOUR_S, burst: IN_TOTAL });
  const ofTotal = newRateLimit({
    name: "feedback-site",
    perSecond: OF_TOTAL / HOUR_S,
    burst: OF_TOTAL,
  });
  let warnedAtMs = Number.NEGATIVE_INFINITY;

  /** An operator hears of it once an hour. */
  function full(): ApiError {
    if (host.now() - warnedAtMs >= HOUR_S * 1000) {
      warnedAtMs = host.now();
      host.log.warn({ stored: mostStored }, "no more feedback is stored: delete some");
    }
    return new ApiError(
      "RESOURCE_EXHAUSTED",
      "LIMIT_EXCEEDED",
      `${mostStored} answers are stored, and no more; the operator reads and deletes them with npm run feedback`,
    );
  }

  return async (c) => {
    if (c.req.method !== "POST") throw methodNotAllowed(c, "POST", "`/feedback` takes POST");
    // A page of another site must not use up what its visitor may send.
    assertFromOwnPage(c, publicUrl, "feedback comes from pages of this site only");
    const address = clientAddress(socketAddressOf(c), c.req.header("x-forwarded-for"));
    const left = takeSaying(
      perAddress,
      address,
      host.now(),
      `too much feedback: at most ${PER_ADDRESS} a minute from your address`,
    );
    for (const [name, value] of Object.entries(left)) c.header(name, value);
    const { page, helpful, text } = await readJsonBody(c, Body, {
      address,
      held,
      maxBytes: MAX_FEEDBACK_BYTES,
    });
    takeSaying(
      ofTotal,
      siteOf(address),
      host.now(),
      `too much feedback: at most ${OF_TOTAL} an hour from your address`,
    );
    takeSaying(
      total,
      "",
      host.now(),
      `too much feedback: at most ${IN_TOTAL} an hour from everybody`,
    );
    const trimmed = text?.trim();
    const isStored = await insertPageFeedback(
      host.store,
      {
        feedbackId: randomUUID(),
        page,
        isHelpful: helpful,
        comment: trimmed ? trimmed : null,
        createdAtMs: host.now(),
      },
      mostStored,
    );
    if (!isStored) throw full();
    return c.body(null, 204, { "Cache-Control": "no-store" });
  };
}

/** Pages of other sites read none of the answers, not even errors. */
export async function hideFromOtherSites(c: Context<Env>, next: () => Promise<void>) {
  await next();
  for (const name of Object.keys(cors)) c.res.headers.delete(name);
}
