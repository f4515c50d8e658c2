import type pg from "pg";
import { isDatabaseDown } from "./unavailable.ts";

/**
 * Whether connections of the two pools share sessions of the database, as they do through a pooler in transaction mode.
 * Such a pooler is found before anything relies on a session: with few clients, named statements work for a while.
 */
export async function isSharingSessions(one: pg.Pool, other: pg.Pool): Promise<boolean> {
  const first = await one.connect();
  try {
    // A pooler makes up the number by which a client cancels its statements.
    const own = (first as { processID?: number | null }).processID;
    const session = await sessionOf(first).catch(unlessDown);
    if (session === null || session === own) return false;
    for (let tries = 0; tries < TRIES; tries++) {
      if (await isShared(first, other)) return true;
    }
    return false;
  } finally {
    first.release();
  }
}

/** Where many clients are busy, a connection may get the same session again. */
const TRIES = 12;

/** While another connection holds the session that was free last, the first one gets another, or the same is lent to both. */
async function isShared(first: pg.ClientBase, other: pg.Pool): Promise<boolean> {
  const second = await other.connect().catch(() => null);
  // A pooler in session mode may have only one session, and the first connection has it.
  if (second === null) return false;
  let isSound = true;
  try {
    const before = await sessionOf(first);
    await second.query("BEGIN");
    const held = await sessionOf(second);
    const after = await sessionOf(first);
    await second.query("ROLLBACK");
    return held === before || after !== before;
  } catch {
    isSound = false;
    return false;
  } finally {
    second.release(!isSound);
  }
}

/** Null if the database has no such number. */
async function sessionOf(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ pid?: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid ?? null;
}

/** Engines that only speak the protocol may lack the function. */
function unlessDown(error: unknown): null {
  if (isDatabaseDown(error)) throw error;
  return null;
}
