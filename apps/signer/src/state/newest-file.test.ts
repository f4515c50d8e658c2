import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openNewestDocuments } from "./newest-file.ts";

let directory: string;
let path: string;
let events: CoreEvent[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-newest-"));
  path = join(directory, "newest-documents");
  events = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => openNewestDocuments(path, (event) => events.push(event));
const at = (organizationId: string, version: number) => ({ organizationId, version });

test("the documents that were confirmed last are listed, each organization once, also after a restart", () => {
  const opened = open();
  opened.note([at("a", 1)]);
  opened.note([at("b", 1), at("c", 7)]);
  opened.note([at("a", 2)]);
  const listed = [at("a", 2), at("c", 7), at("b", 1)];
  expect(opened.list()).toEqual(listed);
  opened.keep();
  expect(open().list()).toEqual(listed);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("the list is bounded", () => {
  const opened = open();
  for (let i = 0; i < 100; i++) opened.note([at(`organization ${i}`, 1)]);
  expect(opened.list()).toHaveLength(16);
  expect(opened.list()[0]).toEqual(at("organization 99", 1));
});

test("nothing is written while nothing changes", () => {
  const opened = open();
  opened.note([at("a", 1)]);
  opened.keep();
  writeFileSync(path, "[]\n");
  opened.keep();
  expect(readFileSync(path, "utf8")).toBe("[]\n");
});

test.each(["{", "7", "[7]", '[{"organizationId":"a"}]', '[{"organizationId":7,"version":1}]'])(
  "a file that holds %s is logged and begins again",
  (text) => {
    writeFileSync(path, text);
    const opened = open();
    expect(opened.list()).toEqual([]);
    expect(events).toEqual([
      expect.objectContaining({ event: "the list of the newest documents begins again", path }),
    ]);
    opened.note([at("a", 1)]);
    opened.keep();
    expect(open().list()).toEqual([at("a", 1)]);
  },
);

test("a file that cannot be written is logged and stops nothing", () => {
  const opened = open();
  opened.note([at("a", 1)]);
  rmSync(directory, { recursive: true });
  opened.keep();
  expect(events).toEqual([
    expect.objectContaining({ event: "the newest documents were not listed" }),
  ]);
});
