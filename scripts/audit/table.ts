export type Row = {
  what: string;
  target: string;
  value: string;
  isMet: boolean;
  /** Another machine, or a busy one, gives another value, so a miss is not a failure. */
  dependsOnMachine?: boolean;
};

/** The rows as a table of Markdown. */
export function tableOf(rows: Row[]): string {
  const lines = rows.map(
    (row) => `| ${row.what} | ${row.target} | ${row.value} | ${outcomeOf(row)} |`,
  );
  return ["| what | target | value | |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

export function hasFailed(rows: Row[]): boolean {
  return rows.some(({ isMet, dependsOnMachine }) => !isMet && !dependsOnMachine);
}

function outcomeOf({ isMet, dependsOnMachine }: Row): string {
  if (isMet) return "met";
  return dependsOnMachine ? "missed on this machine" : "MISSED";
}
