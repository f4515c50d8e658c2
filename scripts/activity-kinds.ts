// The kinds of activities that policies decide, and the types that clients may filter by, from the
// catalogue in the facts of the wire.

import { decidable, facts } from "./wire-facts.ts";
import { writeGenerated } from "./write-generated.ts";

const from = "contract/wire-facts.json by scripts/activity-kinds.ts";

writeGenerated({
  path: "packages/policy/src/generated/activity-kinds.ts",
  from,
  text:
    "/** Kinds of activities that policies are asked about, each with its types in order of version. */\n" +
    `export const decidableKinds = ${JSON.stringify(decidable, null, 2)};\n`,
});

const filterable = Object.values(facts.activities)
  .filter(({ since }) => since !== "later")
  .flatMap(({ types, newer = [] }) => [...types, ...newer])
  .sort();

writeGenerated({
  path: "apps/api/src/generated/activity-types.ts",
  from,
  text:
    "/** Activity types that the wire knows, declared or not: clients may filter by any of them. */\n" +
    `export const wireActivityTypes = ${JSON.stringify(filterable, null, 2)};\n`,
});
