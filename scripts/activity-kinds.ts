// The kinds of activities that policies are asked about, and the types that clients may filter by,
// from the catalogue in the facts of the wire.

import { readFileSync } from "node:fs";
import { writeGenerated } from "./write-generated.ts";

type Kind = {
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

const facts: { activities: Record<string, Kind> } = JSON.parse(
  readFileSync(new URL("../contract/wire-facts.json", import.meta.url), "utf8"),
);
const kinds = Object.entries(facts.activities);

const decidable = kinds
  .filter(([, { policies }]) => policies !== false)
  .map(([kind, { resource, action, types, newer = [] }]) => {
    return { kind, resource, action, types: [...types, ...newer] };
  });

const filterable = kinds
  .filter(([, { since }]) => since !== "later")
  .flatMap(([, { types, newer = [] }]) => [...types, ...newer])
  .sort();

const from = "contract/wire-facts.json by scripts/activity-kinds.ts";

writeGenerated({
  path: "packages/policy/src/generated/activity-kinds.ts",
  from,
  text:
    "/** Kinds of activities that policies are asked about, each with its types in order of version. */\n" +
    `export const decidableKinds = ${JSON.stringify(decidable, null, 2)};\n`,
});

writeGenerated({
  path: "apps/api/src/generated/activity-types.ts",
  from,
  text:
    "/** Activity types that the wire knows, declared or not: clients may filter by any of them. */\n" +
    `export const wireActivityTypes = ${JSON.stringify(filterable, null, 2)};\n`,
});
