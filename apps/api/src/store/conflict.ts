/**
 * Whether a statement lost a race: a version has changed, a key already exists, or the database asks to run the statement
 * again.
 */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (CODES.includes(code)) return true;
  // Citus copies rows to its nodes, and passes on what these say, but not its code.
  return code === "XX000" && error.message.startsWith(DUPLICATE);
}

const CODES = ["22012", "23505", "40001", "40P01"];

const DUPLICATE = "duplicate key value violates unique constraint";
