import { setTimeout as rest } from "node:timers/promises";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";

const FIRST_WAIT_MS = 25;
/** With the waits before it, about three seconds. */
const LONGEST_WAIT_MS = 1600;

/** Whether the signer has no place for the call now. */
export function isCrowded(answer: Answer): boolean {
  return answer.kind === "error" && answer.error.reason === "RATE_LIMITED";
}

/**
 * Asks again while the signer has no place, each time after twice the time. For confirmations: what they confirm is
 * committed, so their requests must not fail because the signer is busy.
 */
export async function askUntilServed(
  host: { askSigner(request: Request, organizationId: string): Promise<Answer> },
  request: Request,
  organizationId: string,
): Promise<Answer> {
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    const answer = await host.askSigner(request, organizationId);
    if (!isCrowded(answer) || waitMs > LONGEST_WAIT_MS) return answer;
    await rest(waitMs);
    waitMs *= 2;
  }
}
