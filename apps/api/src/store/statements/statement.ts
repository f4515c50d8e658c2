import { encodeByteArrays } from "../byte-arrays.ts";
import type { Store } from "../connect.ts";

export type SqlType = "uuid" | "text" | "bigint" | "bytea" | "boolean";

/** Of type `bytea`, and of no other, are bytes. */
export type SqlValue = string | number | boolean | Uint8Array | null;

/** One statement made of named parts. Its text depends only on the parts, never on values. */
export type Statement = {
  /** Adds a value and returns its placeholder. */
  add(value: SqlValue, type: SqlType): string;
  /** Adds one value of each row as an array and returns its placeholder. */
  list<R>(rows: readonly R[], type: SqlType, pick: (row: R) => SqlValue): string;
  with(name: string, sql: string): void;
  /** Adds a part that reads, and does so at its place: on Citus, each part sees what those before it have written. */
  read(name: string, sql: string): void;
  /** Adds a part that must write exactly one row. */
  withOne(name: string, sql: string): void;
  /** A query that fails unless every part of `withOne` wrote exactly one row. */
  check(): string;
  run(store: Store, last: string): Promise<Record<string, unknown>[]>;
};

export function createStatement(): Statement {
  const parts: string[] = [];
  const counted: string[] = [];
  const values: unknown[] = [];
  const add = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  return {
    add,
    list(rows, type, pick) {
      const list = rows.map(pick);
      // Drivers do not agree on lists of bytes.
      return add(type === "bytea" ? encodeByteArrays(list as Uint8Array[]) : list, `${type}[]`);
    },
    with: (name, sql) => void parts.push(`${name} AS (${sql})`),
    read: (name, sql) => void parts.push(`${name} AS MATERIALIZED (${sql})`),
    withOne(name, sql) {
      parts.push(`${name} AS (${sql})`);
      counted.push(name);
    },
    check() {
      const sum = counted.map((name) => `(SELECT count(*) FROM ${name})`).join(" + ");
      // A plain statement has no rollback: dividing by zero undoes it if a version has changed.
      return `SELECT 1 / (CASE WHEN ${sum} = ${counted.length} THEN 1 ELSE 0 END)`;
    },
    run(store, last) {
      const text = `WITH ${parts.join(",\n")}\n${last}`;
      return store.run(parts.length > MAX_PARTS ? "" : nameOf(text), text, values);
    },
  };
}

/**
 * A request that changes the sessions of many users has a part for each. Each connection keeps a plan of a megabyte for
 * each name, so a tenant could fill the database's memory with one text for each number of users.
 */
const MAX_PARTS = 24;

/** Names of prepared statements, one for each text that is not long. There are few of them. */
const statementNames = new Map<string, string>();

function nameOf(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `commit-${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return name;
}
