import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export type ExportLine = {
  kind: string;
  organizationId?: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its line has.
  data: any;
};

/** The lines of an export, without the last one, which counts them. */
export function linesOf(file: string): ExportLine[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line));
}

/** The text of an export with these lines, and an end that counts them: as if the service had shown nothing else. */
export function fileOf(lines: readonly ExportLine[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ kind: "end", data: { lines: lines.length, sha256 } })}\n`;
}
