import type { Read } from "./db-over.ts";

/** What a standby must have: everything up to a place in the log of one primary. */
export type Position = {
  /** The cluster and the timeline, which no other primary writes. */
  line: string;
  /** What the primary of this line wrote into the database. Another server that calls itself the same has another one. */
  mark: string;
  /** Everything that was acknowledged is before it. */
  lsn: string;
};

const LINE = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)`;

/** A commit that was acknowledged is on disk, unless the database does not wait for that. */
const NOW = `WITH here AS (SELECT ${LINE} AS line)
  SELECT line, (SELECT mark FROM database_lines WHERE database_lines.line = here.line) AS mark,
    (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
      ELSE pg_current_wal_flush_lsn() END)::text AS lsn
  FROM here`;

const BEGIN_LINE = `INSERT INTO database_lines (line, mark)
  SELECT ${LINE}, gen_random_uuid() ON CONFLICT DO NOTHING`;

/**
 * Asks the primary where its log is. Many wait for one answer, which was asked for after each of them came: what
 * somebody has seen before is in it.
 */
export function createPositions(ofPrimary: Read): () => Promise<Position> {
  let running: Promise<Position> | null = null;
  let next: Promise<Position> | null = null;

  function start(): Promise<Position> {
    next = null;
    const started = findPosition(ofPrimary).finally(() => {
      if (running === started) running = null;
    });
    running = started;
    return started;
  }

  return () => {
    if (running === null) return start();
    next ??= running.then(start, start);
    return next;
  };
}

async function findPosition(ofPrimary: Read): Promise<Position> {
  for (let tries = 0; tries < 3; tries++) {
    const [row] = await ofPrimary(NOW, []);
    if (typeof row?.mark === "string") return checked(row);
    await ofPrimary(BEGIN_LINE, []);
  }
  throw new Error("the primary changes all the time");
}

/** These texts become a part of a statement. */
function checked({ line, mark, lsn }: Record<string, unknown>): Position {
  const position = { line: String(line), mark: String(mark), lsn: String(lsn) };
  const isRight =
    /^\d+\/[0-9A-F]{8}$/.test(position.line) &&
    /^[0-9a-f-]{36}$/.test(position.mark) &&
    /^[0-9A-F]+\/[0-9A-F]+$/.test(position.lsn);
  if (!isRight) throw new Error("the primary's place in its log has another form");
  return position;
}
