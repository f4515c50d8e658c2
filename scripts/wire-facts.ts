import { readFileSync } from "node:fs";

/** One kind of activity in the catalogue. */
export type Kind = {
  resource?: string;
  action?: string;
  /** In order of version; the `newer` ones come after them. */
  types: string[];
  newer?: string[];
  /** `later`: no endpoint and no field of the wire names it yet. */
  since?: "newer" | "later";
  /** False if no policy is evaluated. */
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

/** Kinds of activities that policies decide. */
export const decidable = Object.entries(facts.activities)
  .filter(([, { policies }]) => policies !== false)
  .map(([kind, { resource, action, types, newer = [] }]) => {
    return { kind, resource, action, types: [...types, ...newer] };
  });
