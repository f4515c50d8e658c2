import { readFileSync } from "node:fs";

/** A JSON file that an example wrote; its form is that of the program. */
export function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, "utf8"));
}
