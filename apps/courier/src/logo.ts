import { setTimeout as rest } from "node:timers/promises";
import { guardedRequest } from "@keyhearth/outbound/guarded-request";

/** The logos of applications, ready to be attached. Null if an address has none that a mail may show. */
export type Logos = { find(url: string): Promise<Buffer | null> };

const MAX_BYTES = 1024 * 1024;
const MAX_PIXELS = 16_000_000;
const BOX = { width: 340, height: 124 };
/** A code must not wait for a slow server. */
const WAIT_MS = 2000;
const KEEP_MS = 10 * 60_000;
const KEEP_FAILURE_MS = 60_000;
const MAX_KEPT = 64;

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

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
  return {
    find(url) {
      const found = kept.get(url);
      if (found && now() < found.untilMs) return found.logo;
      const late = rest(WAIT_MS, null, { ref: false });
      const logo = Promise.race([fetch(url).then(fit), late]).catch(() => null);
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
  const { status, body } = await guardedRequest(url, { maxBytes: MAX_BYTES, timeoutMs: WAIT_MS });
  if (status !== 200) throw new Error("no logo");
  return body;
}

/** Decoded and written again, so that nothing of the original but its pixels leaves. */
async function fit(bytes: Uint8Array): Promise<Buffer> {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (image.length > MAX_BYTES || !image.subarray(0, 8).equals(SIGNATURE)) {
    throw new Error("not a PNG");
  }
  // A library of its own size, which only mails with logos need.
  const { default: sharp } = await import("sharp");
  return sharp(image, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 })
    .resize({ ...BOX, fit: "inside", withoutEnlargement: true })
    .png()
    .timeout({ seconds: WAIT_MS / 1000 })
    .toBuffer();
}
