import { wipe } from "@keyhearth/crypto/encoding/bytes";
import type { ExchangeCode, ExchangeOutcome } from "@keyhearth/engine/people/code-exchanges";

/** At once: a provider that answers slowly holds a connection of the signer for each. */
const AT_ONCE = { ofFamily: 32, inTotal: 256 };

/**
 * Refused, or not answered, within a minute. A provider shuts out an address that sends it many wrong codes or secrets, and the signer has one
 * for all organizations.
 */
const REFUSED = { ofFamily: 60, withinMs: 60_000 };

type Refused = { count: number; untilMs: number };

/** A family of organizations takes no more than its part of the connections, and of the patience of the providers. */
export function createBoundedExchange(
  exchangeCode: ExchangeCode,
  {
    now = () => performance.now(),
    atOnce = AT_ONCE,
    refused = REFUSED,
  }: { now?: () => number; atOnce?: typeof AT_ONCE; refused?: typeof REFUSED } = {},
): ExchangeCode {
  const underWay = new Map<string, number>();
  let inTotal = 0;
  // In the order of their times.
  const refusals = new Map<string, Refused>();

  function dropOld() {
    for (const [familyId, { untilMs }] of refusals) {
      if (now() < untilMs) return;
      refusals.delete(familyId);
    }
  }

  function whyNot(familyId: string): string | null {
    const own = underWay.get(familyId) ?? 0;
    // A family without any gets a place even if the others have filled them.
    const isCrowded = inTotal >= (own === 0 ? 2 : 1) * atOnce.inTotal;
    if (own >= atOnce.ofFamily || isCrowded) {
      return "was not asked, because many other codes wait for its answers; send the same bytes again in a moment";
    }
    if ((refusals.get(familyId)?.count ?? 0) < refused.ofFamily) return null;
    return `was not asked, because ${refused.ofFamily} codes of this organization and its sub-organizations failed within a minute; send the same bytes again in a minute`;
  }

  function add(familyId: string, number: 1 | -1) {
    inTotal += number;
    const own = (underWay.get(familyId) ?? 0) + number;
    if (own > 0) underWay.set(familyId, own);
    else underWay.delete(familyId);
  }

  function count(familyId: string) {
    const known = refusals.get(familyId);
    if (known) known.count += 1;
    else refusals.set(familyId, { count: 1, untilMs: now() + refused.withinMs });
  }

  return async (exchange): Promise<ExchangeOutcome> => {
    dropOld();
    const { familyId } = exchange;
    const refusal = whyNot(familyId);
    if (refusal !== null) {
      wipe(exchange.clientSecret);
      return { refusal, because: "busy" };
    }
    add(familyId, 1);
    try {
      const outcome = await exchangeCode(exchange);
      if ("refusal" in outcome && outcome.because === "refused") count(familyId);
      return outcome;
    } finally {
      add(familyId, -1);
    }
  };
}
