import type { RouterOptions } from "wouter";

// Forms that would lose what was typed if somebody went elsewhere by mistake.

/** Is asked before people leave. `go` leaves. */
type Ask = (go: () => void) => void;

const asking = new Set<Ask>();

/** Has people asked from now on. Returns what ends that. */
export function askBeforeLeaving(ask: Ask): () => void {
  asking.add(ask);
  return () => {
    asking.delete(ask);
  };
}

/** For the router: another screen is shown only if nobody minds. Another tab of the same screen keeps the form. */
export const aroundNav: NonNullable<RouterOptions["aroundNav"]> = (navigate, to, options) => {
  const [ask] = asking;
  const isSameScreen = new URL(to, location.href).pathname === location.pathname;
  const go = () => navigate(to, options);
  if (ask && !isSameScreen) ask(go);
  else go();
};
