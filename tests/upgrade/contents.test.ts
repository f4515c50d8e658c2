import { readMigrations } from "@keyhearth/api/store/migrate";
import { recordKinds } from "@keyhearth/engine/records/kinds";
import { expect, test } from "vitest";
import { newestContents } from "./releases.ts";

// What is new since the newest fixture is named here. The fixture of the release that brings it has to have it.

const newKinds: string[] = [];
const newTables = ["database_lines", "removed_activities"];

/** Tables that are empty between two pieces of work, or whose rows nothing decides by. */
const passing: Record<string, string> = {
  deleted_wallets: "accounts of a deleted wallet that are still to be deleted",
  disk_probe: "room on the disk, made and given back",
  leaves: "what is to be sealed within seconds",
};

const { version, contents } = newestContents();

test(`the fixture of ${version} has a record of every kind`, () => {
  const kinds = recordKinds.map(({ type }) => type).filter((type) => !newKinds.includes(type));
  expect(Object.keys(contents.records)).toEqual(kinds.toSorted());
});

test("a record of a new shape comes with a migration, so that an older release refuses the database", () => {
  const newer = recordKinds.filter(
    ({ type, schema }) => schema > Math.max(...(contents.records[type] ?? [schema])),
  );
  const isMigrated = readMigrations().length > (contents.tables.schema_migrations ?? 0);
  expect(isMigrated ? [] : newer.map(({ type }) => type)).toEqual([]);
});

test(`the fixture of ${version} has rows in every table`, () => {
  const sql = readMigrations().map((each) => each.sql);
  const made = sql.flatMap((text) => [...text.matchAll(/^CREATE TABLE (\w+)/gm)]);
  const tables = ["schema_migrations", ...made.map(([, name = ""]) => name)];
  const expected = tables.filter((name) => !newTables.includes(name)).toSorted();
  expect(Object.keys(contents.tables)).toEqual(expected);
  const empty = Object.entries(contents.tables).filter(([, rows]) => rows === 0);
  expect(empty.map(([name]) => name).filter((name) => !(name in passing))).toEqual([]);
});
