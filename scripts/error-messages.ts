// The messages of errors, which the site's pages about errors search. They are read from the sources, so that a message
// is found as soon as it exists.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { variables } from "../apps/api/src/config/variables.ts";
import { nameCommands } from "./bundle/commands.ts";
import { readMessages } from "./error-messages/read-messages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = new URL("../apps/website/src/components/errors/generated/", import.meta.url);

const folders = ["packages/{engine,outbound,policy,sdk}/src", "apps/{api,courier,signer}/src"];
const ofProduct = [
  ...folders.map((folder) => `${folder}/**/*.ts`),
  "scripts/release/**/launcher/*.mjs",
];
const ofClone = ["scripts/{launch,setup}.mjs", "scripts/setup/*.mjs"];

function sourcesOf(patterns: string[]): string[] {
  const files = globSync(patterns, { cwd: root }).filter(
    (path) => !/\.(test|testing)\.ts$|\/generated\/|\/migrations\//.test(path),
  );
  return files.toSorted().map((path) => readFileSync(`${root}/${path}`, "utf8"));
}

/** What a setting accepts is described once, in a table, and its refusals look it up. */
const settings = new Map(variables.map((each) => [each.name, each]));

function withSetting(text: string): string {
  const [, name = "", said = ""] = /^([A-Z_]+) (is|has|must) /.exec(text) ?? [];
  const setting = settings.get(name);
  if (said === "" || !setting) return text;
  return text
    .replace(/ is `[^`]+`(,| but)/, " is `…`$1")
    .replace(/ must be …$/, () => ` must be ${setting.accepted}`)
    .replace(/ to …$/, () => ` to ${setting.accepted}`)
    .replace(/; set it to …, or unset it to use …$/, () => {
      return `; set it to ${setting.accepted}, or unset it to use ${setting.default}`;
    });
}

/** The form of a refusal whose setting is a parameter. Each setting has it with its name. */
const isForm = (text: string) =>
  /^…; nothing was changed$|^… (is|has) .* must be …$|^… is set but empty; .* use …$/.test(text);

const found = [
  // Readers of the site have an installation, which names its commands so.
  ...readMessages(sourcesOf(ofProduct)).map((each) => ({
    ...each,
    text: nameCommands(withSetting(each.text), "package"),
  })),
  ...readMessages(sourcesOf(ofClone)),
].filter(({ text }) => !isForm(text));
const byCode = Map.groupBy(found, ({ code }) => code);
const entries = [...byCode]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, messages]) => {
    const texts = new Set(messages.map(({ text }) => text));
    return [code, [...texts].toSorted()] as const;
  });

const mark =
  "// GENERATED from the sources of the product by scripts/error-messages.ts. Do not edit.";

function write(name: string, head: string, declaration: string, value: string) {
  writeFileSync(new URL(name, folder), `${mark}\n\n${head}\n${declaration} = ${value};\n`);
}

const { START: all = [], ...messages } = Object.fromEntries(entries);
// What a file is refused for is a sentence of its own. That which names the file before it says nothing.
const starts = all.filter((text) => !/^[^…:;]*…$/.test(text));

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
