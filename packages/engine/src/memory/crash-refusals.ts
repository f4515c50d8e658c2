import { keepNewest } from "./keep-newest.ts";

/**
 * Which organizations are refused because their requests killed the signer. The first time counts as
 * an accident. From the second time on the organization is refused, each time for longer, so that the
 * others keep their signer.
 */
export type CrashRefusals = {
  add(organizationId: string, nowMs: number): void;
  /** How long the organization is still refused; 0 if it is not. */
  refusedForMs(organizationId: string, nowMs: number): number;
};

const FIRST_REFUSAL_MS = 10_000;
const LONGEST_REFUSAL_MS = 60 * 60 * 1000;

/** An organization that killed no signer for so long starts again from zero. */
const FORGET_AFTER_MS = 2 * 60 * 60 * 1000;

const MAX_ORGANIZATIONS = 10_000;

export function createCrashRefusals(): CrashRefusals {
  const crashed = new Map<string, { deaths: number; atMs: number; untilMs: number }>();
  return {
    add(organizationId, nowMs) {
      const before = crashed.get(organizationId);
      const isFresh = !before || nowMs - before.atMs > FORGET_AFTER_MS;
      const deaths = isFresh ? 1 : before.deaths + 1;
      const refusalMs =
        deaths < 2 ? 0 : Math.min(FIRST_REFUSAL_MS * 4 ** (deaths - 2), LONGEST_REFUSAL_MS);
      const crash = { deaths, atMs: nowMs, untilMs: nowMs + refusalMs };
      keepNewest(crashed, MAX_ORGANIZATIONS, organizationId, crash);
    },
    refusedForMs: (organizationId, nowMs) =>
      Math.max(0, (crashed.get(organizationId)?.untilMs ?? 0) - nowMs),
  };
}
