import { setTimeout as rest } from "node:timers/promises";
import { guardedRequest } from "@keyhearth/outbound/guarded-request";
import { MAX_LOGO_BYTES } from "./logo-form.ts";
import { fitLogo } from "./logo-picture.ts";

/** The logos of applications, ready to be attached. Null if an address has none that a mail may show. */
export type Logos = { find(url: string): Promise<Buffer | null> };

/** A code must not wait for a slow server. */
const WAIT_MS = 2000;
const KEEP_MS = 10 * 60_000;
const KEEP_FAILURE_MS = 60_000;
const MAX_KEPT = 64;

type Kept = { logo: Promise<Buffer | null>; untilMs: number };

/**
 * Fetches logos from addresses that tenants chose. Only a small PNG at a public address
 * counts, within two seconds. With anything else, the mail is sent without a logo.
 */
export function createLogos({
  fetch = fetchImage,
  now = Date.now,
}: {
  fetch?: (url: string) => Promise<Uint8Array>;
  now?: () => number;
} = {}): Logos {
  const kept = new Map<string, Kept>();
  let decoded: Promise<unknown> = Promise.resolve();

  /** One picture is decoded at a time, and none whose mail has left. */
  function fit(bytes: Uint8Array, hasLeft: () => boolean): Promise<Buffer | null> {
    const logo = decoded.then(() => (hasLeft() ? null : fitLogo(bytes)));
    decoded = logo.catch(() => null);
    return logo;
  }

  return {
    find(url) {
      const found = kept.get(url);
      if (found && now() < found.untilMs) return found.logo;
      let isLate = false;
      const late = rest(WAIT_MS, null, { ref: false }).then(() => {
        isLate = true;
        return null;
      });
      const fitted = fetch(url).then((bytes) => fit(bytes, () => isLate));
      const logo = Promise.race([fitted, late]).catch(() => null);
      const entry: Kept = { logo, untilMs: now() + KEEP_MS };
      void logo.then((image) => {
        if (!image) entry.untilMs = now() + KEEP_FAILURE_MS;
      });
      kept.delete(url);
      kept.set(url, entry);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return logo;
    },
  };
}

async function fetchImage(url: string): Promise<Uint8Array> {
  const { status, body } = await guardedRequest(url, {
    maxBytes: MAX_LOGO_BYTES,
    timeoutMs: WAIT_MS,
  });
  if (status !== 200) throw new Error("no logo");
  return body;
}
