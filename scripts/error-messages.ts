// The messages of errors, which the site's pages about errors search. They are read from the sources, so that a message
// is found as soon as it exists.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readMessages } from "./error-messages/read-messages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = new URL("../apps/website/src/components/errors/generated/", import.meta.url);

const folders = ["packages/{engine,outbound,policy,sdk}/src", "apps/{api,courier,signer}/src"];
const files = globSync(
  folders.map((folder) => `${folder}/**/*.ts`),
  { cwd: root },
).filter((path) => !/\.(test|testing)\.ts$|\/generated\/|\/migrations\//.test(path));
const sources = files.toSorted().map((path) => readFileSync(`${root}/${path}`, "utf8"));

const byCode = Map.groupBy(readMessages(sources), ({ code }) => code);
const entries = [...byCode]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, messages]) => [code, messages.map(({ text }) => text).toSorted()] as const);

const mark =
  "// GENERATED from the sources of the product by scripts/error-messages.ts. Do not edit.";

function write(name: string, head: string, declaration: string, value: string) {
  writeFileSync(new URL(name, folder), `${mark}\n\n${head}\n${declaration} = ${value};\n`);
}

const { START: starts = [], ...messages } = Object.fromEntries(entries);

write(
  "error-messages.ts",
  'import { startSentences } from "./start-sentences.ts";\n\n/** The messages of each code, with … for what differs. `START` has the sentences of starts that are refused. */',
  "export const errorMessages: Readonly<Record<string, readonly string[]>>",
  JSON.stringify(messages, null, 2).replace(/\n\}$/, ",\n  START: startSentences,\n}"),
);
write(
  "start-sentences.ts",
  "/** Why a process does not start, or why a command of the signer does nothing, with … for what differs. */",
  "export const startSentences: readonly string[]",
  JSON.stringify(starts, null, 2),
);
