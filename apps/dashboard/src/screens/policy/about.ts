import type { Policy } from "@keyhearth/sdk";
import type { Draft } from "../../policy-language/draft.ts";

/** What every tab is about. */
export type About = {
  policies: readonly Policy[];
  /** The saved one. A new policy has none. */
  policy: Policy | undefined;
  draft: Draft;
};
