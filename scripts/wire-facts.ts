import { readFileSync } from "node:fs";

/** One kind of activity in the catalogue. */
export type Kind = {
  resource?: string;
  action?: string;
  /** In order of version; `newer` ones follow them. */
  types: string[];
  newer?: string[];
  /** `later`: neither an endpoint nor a field of the wire names it yet. */
  since?: "newer" | "later";
  /** False where no policy is asked. */
  policies?: false;
};

type Fields = { properties?: Record<string, string | { enum: string[] }>; required?: string[] };

type Facts = {
  activities: Record<string, Kind>;
  operations: Record<string, { type?: string; types?: Record<string, { intent: string }> }>;
  definitions: Record<string, Fields & { enum?: string[]; newer?: Fields | string[] }>;
};

export const facts: Facts = JSON.parse(
  readFileSync(new URL("../contract/wire-facts.json", import.meta.url), "utf8"),
);

/** Kinds of activities that policies are asked about. */
export const decidable = Object.entries(facts.activities)
  .filter(([, { policies }]) => policies !== false)
  .map(([kind, { resource, action, types, newer = [] }]) => {
    return { kind, resource, action, types: [...types, ...newer] };
  });
