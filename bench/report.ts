import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, relative } from "node:path";

export type Line = {
  what: string;
  result: string;
  target: string;
  /** Null if nothing is promised. */
  isMet: boolean | null;
};

export type Report = {
  lines: Line[];
  notMeasured: string[];
  /** All measurements, for the file. */
  measurements: Record<string, unknown>;
};

export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

type Compared = {
  what: string;
  perSecond: number;
  than: { what: string; perSecond: number };
  /** The median of the turns, which is not the quotient of the two rates. */
  share: number;
  least: number;
  /** What else the row says. */
  note?: string;
};

/** A rate that is measured beside another one, and has to be a share of it. */
export function shareLine({ what, perSecond, than, share, least, note }: Compared): Line {
  const compared = `${rate(perSecond)}, ${than.what} ${rate(than.perSecond)}: ${share.toFixed(2)}`;
  return {
    what,
    result: note === undefined ? compared : `${compared}; ${note}`,
    target: `at least ${least.toFixed(2)} of ${than.what}`,
    isMet: share >= least,
  };
}

export function printReport({ lines, notMeasured }: Report) {
  const rows = [
    ["what", "result", "target", ""],
    ...lines.map(({ what, result, target, isMet }) => [
      what,
      result,
      target,
      isMet === null ? "" : isMet ? "ok" : "MISSED",
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  console.log("");
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
  for (const each of notMeasured) console.log(`\nnot measured: ${each}`);
}

/** Returns the path of the file in the form to show. */
export function writeReport(report: Report): string {
  const directory = join(import.meta.dirname, "results");
  mkdirSync(directory, { recursive: true });
  const date = new Date().toISOString();
  const file = join(directory, `${date.replaceAll(":", "-").slice(0, 19)}.json`);
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryMb: Math.round(totalmem() / 1024 / 1024),
    node: process.version,
  };
  writeFileSync(file, `${JSON.stringify({ date, machine, ...report }, null, 2)}\n`);
  return relative(process.cwd(), file);
}
