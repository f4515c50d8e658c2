import { ROOTS } from "@keyhearth/policy/schema";
import { expect, test } from "vitest";
import { fieldNotes, rootNotes } from "./field-notes.ts";
import { shownStructs } from "./structs.ts";

const clauses = ["condition", "consensus", "time"] as const;

test("every root has a note, and no note is about a root that does not exist", () => {
  const roots = clauses.flatMap((clause) => Object.keys(ROOTS[clause]));
  expect(Object.keys(rootNotes).sort()).toEqual([...roots].sort());
});

test("notes name exactly the fields of the language", () => {
  const structs = clauses.flatMap(shownStructs);
  const fields = structs.map(({ name, fields }) => [name, Object.keys(fields)]);
  const noted = Object.entries(fieldNotes).map(([name, notes]) => [name, Object.keys(notes)]);
  expect(Object.fromEntries(noted)).toEqual(Object.fromEntries(fields));
  expect(Object.values(fieldNotes).flatMap((notes) => Object.values(notes))).not.toContain("");
});
