import { createHash } from "node:crypto";
import { wipe } from "@keyhearth/crypto/encoding/bytes";
import type {
  CodeExchange,
  ExchangeCode,
  ExchangeOutcome,
} from "@keyhearth/engine/people/code-exchanges";

/** RFC 6749, 4.1.2: no code is valid for longer. */
const MEMORY_MS = 10 * 60_000;
/** Each takes less than a kilobyte, or three with the provider's own token. */
const MOST = 20_000;

type Used = { name: string; familyId: string; atMs: number; outcome: Promise<ExchangeOutcome> };

/**
 * A code is exchanged for one request only, whatever its provider allows: otherwise, somebody who saw a code could use it for
 * another nonce. The same request has the same outcome again, because its first proposal may not have been committed.
 * Only failures are forgotten, so that a request that reached nobody can be sent again. Where there is no room for more, the
 * family with the most forgets its oldest one: nobody makes the signer forget the codes of others.
 */
export function createRememberedExchange(
  exchangeCode: ExchangeCode,
  { now = () => performance.now(), most = MOST }: { now?: () => number; most?: number } = {},
): ExchangeCode {
  // In the order of their times.
  const used = new Map<string, Used>();
  const ofFamilies = new Map<string, number>();

  function keep(code: string, entry: Used) {
    used.set(code, entry);
    ofFamilies.set(entry.familyId, (ofFamilies.get(entry.familyId) ?? 0) + 1);
  }

  function drop(code: string, { familyId }: Used) {
    used.delete(code);
    const left = (ofFamilies.get(familyId) ?? 1) - 1;
    if (left > 0) ofFamilies.set(familyId, left);
    else ofFamilies.delete(familyId);
  }

  function dropOld() {
    for (const [code, entry] of used) {
      if (now() - entry.atMs < MEMORY_MS) break;
      drop(code, entry);
    }
    if (used.size < most) return;
    let [largest, number] = ["", 0];
    for (const [familyId, of] of ofFamilies) if (of > number) [largest, number] = [familyId, of];
    for (const [code, entry] of used) {
      if (entry.familyId === largest) return drop(code, entry);
    }
  }

  return async (exchange) => {
    dropOld();
    const code = nameOfCode(exchange);
    const known = used.get(code);
    if (known) {
      wipe(exchange.clientSecret);
      if (known.name === exchange.name) return known.outcome;
      return {
        refusal: "gave it for another request: a code works once",
        because: "refused",
      };
    }
    const { name, familyId } = exchange;
    const entry = { name, familyId, atMs: now(), outcome: exchangeCode(exchange) };
    keep(code, entry);
    const found = await entry.outcome;
    // It may be that of another request by now.
    if ("refusal" in found && used.get(code) === entry) drop(code, entry);
    return found;
  };
}

/** Codes are kept as digests. */
function nameOfCode({ provider, clientId, code }: CodeExchange): string {
  const text = JSON.stringify([provider, clientId, code.open()]);
  return createHash("sha256").update(text).digest("base64url");
}
