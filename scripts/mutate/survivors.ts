// Reads the report of StrykerJS and the list of faults that no test needs to notice.

/** One fault, and whether a test noticed it. */
export type Fault = {
  isCaught: boolean;
  file: string;
  /** The code that was replaced, and by what. Line numbers would change with every edit. */
  change: string;
  /** The line that has the code, to find it. */
  line: string;
};

export type Verdict = {
  module: string;
  caught: number;
  total: number;
  /** Rows for faults that were not noticed and are not listed. */
  unlisted: string[];
  /** Rows whose fault was noticed, or no longer exists. */
  outdated: string[];
  isPassed: boolean;
};

type Position = { line: number; column: number };
type Report = {
  files: Record<
    string,
    {
      source: string;
      mutants: {
        mutatorName: string;
        replacement?: string;
        status: string;
        location: { start: Position; end: Position };
      }[];
    }
  >;
};

/** Faults that do not compile or were left out by a comment do not count. */
const counted = ["Killed", "Timeout", "Survived", "NoCoverage", "RuntimeError"];
const uncaught = ["Survived", "NoCoverage"];
const LEAST_CAUGHT = 0.9;

export function readReport(text: string): Fault[] {
  const { files } = JSON.parse(text) as Report;
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split("\n");
    return mutants
      .filter(({ status }) => counted.includes(status))
      .map(({ status, location, replacement = "" }) => ({
        isCaught: !uncaught.includes(status),
        file,
        change: `${shown(textAt(lines, location))} → ${shown(replacement)}`,
        line: shown(lines[location.start.line - 1] ?? ""),
      }));
  });
}

/** A row is `| file | line | change | reason |`. The same row may stand for several faults. */
export function readListed(page: string): string[][] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(" | "));
}

export function judge(module: string, faults: Fault[], listed: string[][]): Verdict {
  const survivors = faults.filter(({ isCaught }) => !isCaught);
  const isListed = (fault: Fault) =>
    listed.some((row) => cellsOf(fault).every((cell, index) => row[index] === cell));
  const unlisted = survivors.filter((fault) => !isListed(fault)).map(rowOf);
  const files = new Set(faults.map(({ file }) => `\`${file}\``));
  const outdated = listed
    .filter(([file = ""]) => files.has(file))
    .filter((row) => {
      return !survivors.some((fault) => cellsOf(fault).every((cell, i) => row[i] === cell));
    })
    .map((row) => `| ${row.join(" | ")} |`);
  const caught = faults.length - survivors.length;
  const isEnough = faults.length > 0 && caught / faults.length >= LEAST_CAUGHT;
  return {
    module,
    caught,
    total: faults.length,
    unlisted: [...new Set(unlisted)],
    outdated,
    isPassed: isEnough && unlisted.length === 0 && outdated.length === 0,
  };
}

function cellsOf({ file, line, change }: Fault): string[] {
  return [`\`${file}\``, code(line), code(change)];
}

function rowOf(fault: Fault): string {
  return `| ${cellsOf(fault).join(" | ")} | … |`;
}

/** Code in a cell of a table: a bar would end the cell, and a backtick the code. */
function code(text: string): string {
  return `\`${text.replaceAll("|", "¦").replaceAll("`", "´")}\``;
}

const MAX_SHOWN = 120;

function shown(text: string): string {
  const short = text.replace(/\s+/g, " ").trim();
  return short.length > MAX_SHOWN ? `${short.slice(0, MAX_SHOWN)}…` : short;
}

/** Lines of a position count from one, columns too. */
function textAt(lines: string[], { start, end }: { start: Position; end: Position }): string {
  const inside = lines.slice(start.line - 1, end.line);
  const last = inside.length - 1;
  return inside
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join("\n");
}
