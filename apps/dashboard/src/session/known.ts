import { useSyncExternalStore } from "react";
import { organizationOfAddress, type Remembered, rememberedOrganizations } from "./remembered.ts";

export type Known = {
  /** The organization that the address names. */
  named: string | undefined;
  known: readonly Remembered[];
};

const none: Known = { named: undefined, known: [] };
let last = none;

/** What this browser and the address know of organizations. While the build's login becomes the page's, nothing. */
export function useKnownOrganizations(): Known {
  return useSyncExternalStore(unchanging, current, nothing);
}

const unchanging = () => () => {};
const nothing = () => none;

/** The same object as long as it says the same, so that nothing is rendered again. */
function current(): Known {
  const now = { named: organizationOfAddress(), known: rememberedOrganizations() };
  if (JSON.stringify(now) !== JSON.stringify(last)) last = now;
  return last;
}
