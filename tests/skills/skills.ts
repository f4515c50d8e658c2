import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The skills that the package of the command line installs. */
export const folder = fileURLToPath(new URL("../../packages/cli/skills/", import.meta.url));

/** A task for a model that has read a skill, and what a right answer has and has not, by its letters. */
export type Eval = {
  readonly name: string;
  readonly task: string;
  /** Of each list, one text. */
  readonly contains: readonly (readonly string[])[];
  readonly lacks: readonly string[];
};

export type Skill = {
  readonly name: string;
  readonly description: string;
  readonly members: readonly string[];
  readonly text: string;
  readonly evals: readonly Eval[];
};

export function readSkills(): Skill[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  return names.map(({ name: directory }) => {
    const file = readFileSync(join(folder, directory, "SKILL.md"), "utf8");
    const [, head = "", text = ""] = /^---\n(.*?)\n---\n\n(.*)$/s.exec(file) ?? [];
    const members = Object.fromEntries(
      head.split("\n").map((line) => {
        const [, name = "", value = ""] = /^(\w+): (.+)$/.exec(line) ?? [];
        return [name, value];
      }),
    );
    const evals = readdirSync(join(folder, directory, "evals")).map((each) => ({
      name: `${directory}/${basename(each, ".json")}`,
      ...JSON.parse(readFileSync(join(folder, directory, "evals", each), "utf8")),
    }));
    const { name = "", description = "" } = members;
    return { name, description, members: Object.keys(members), text, evals };
  });
}

/** The blocks of code of a skill, each with the words after its fence. */
export function blocksOf({ text }: Skill): { language: string; kind: string; code: string }[] {
  return [...text.matchAll(/^```(\w+) ?(\w*)\n(.*?)^```$/gms)].map(
    ([, language = "", kind = "", code = ""]) => ({ language, kind, code }),
  );
}
