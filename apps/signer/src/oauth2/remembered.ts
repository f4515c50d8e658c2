import { createHash } from "node:crypto";
import type {
  CodeExchange,
  ExchangeCode,
  ExchangeOutcome,
} from "@keyhearth/engine/people/code-exchanges";

/** RFC 6749, 4.1.2: no code is valid for longer. */
const MEMORY_MS = 10 * 60_000;
/** Each takes less than a kilobyte. */
const MOST = 20_000;

type Used = { name: string; atMs: number; outcome: Promise<ExchangeOutcome> };

/**
 * A code is exchanged for one request only, whatever its provider allows: otherwise, somebody who saw a code could use it for
 * another nonce. The same request has the same outcome again, because its first proposal may not have been committed.
 * Only failures are forgotten, so that a request that reached nobody can be sent again.
 */
export function createRememberedExchange(
  exchangeCode: ExchangeCode,
  { now = () => performance.now(), most = MOST }: { now?: () => number; most?: number } = {},
): ExchangeCode {
  // In the order of their times.
  const used = new Map<string, Used>();

  function dropOld() {
    for (const [code, { atMs }] of used) {
      if (now() - atMs < MEMORY_MS && used.size < most) return;
      used.delete(code);
    }
  }

  return async (exchange) => {
    dropOld();
    const code = nameOfCode(exchange);
    const known = used.get(code);
    if (known) {
      exchange.clientSecret.fill(0);
      if (known.name === exchange.name) return known.outcome;
      return {
        refusal: "gave it for another request: a code works once",
        isProviderUnknown: false,
      };
    }
    const outcome = exchangeCode(exchange);
    used.set(code, { name: exchange.name, atMs: now(), outcome });
    const found = await outcome;
    if ("refusal" in found) used.delete(code);
    return found;
  };
}

/** Codes are kept as digests. */
function nameOfCode({ provider, clientId, code }: CodeExchange): string {
  const text = JSON.stringify([provider, clientId, code.open()]);
  return createHash("sha256").update(text).digest("base64url");
}
