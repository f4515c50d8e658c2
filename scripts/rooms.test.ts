import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { rooms, tableOf } from "./rooms.ts";
import { importsOf, root, sourcesOf } from "./source-files.testing.ts";

const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");

const workspaces = Object.entries(rooms).map(([folder, list]) => ({
  folder,
  names: list.map(([name]) => name),
  files: sourcesOf(folder, "**/*.ts"),
}));

function roomOf(file: string): string {
  const [first = "", ...rest] = file.split("/");
  return rest.length > 0 ? `${first}/` : first;
}

test.for(workspaces)(
  "every file of $folder is in a room, and every room has one",
  ({ names, files }) => {
    expect([...new Set(files.map(roomOf))].toSorted()).toEqual(names.toSorted());
  },
);

test.for(workspaces)(
  "in $folder a room imports only rooms above it",
  ({ folder, names, files }) => {
    let read = 0;
    const upward: string[] = [];
    for (const file of files) {
      for (const path of importsOf(join(folder, file))) {
        if (!path.startsWith(".") && path !== "#primitives") continue;
        const target =
          path === "#primitives" ? "primitives/" : relative(".", join(dirname(file), path));
        if (target.startsWith("..")) continue;
        read += 1;
        const [from, to] = [names.indexOf(roomOf(file)), names.indexOf(roomOf(target))];
        if (to > from) upward.push(`${file} imports ${target}`);
      }
    }
    expect(read).toBeGreaterThan(files.length);
    expect(upward).toEqual([]);
  },
);

test.for(workspaces)("ARCHITECTURE.md has the rooms of $folder", ({ folder }) => {
  expect(architecture).toContain(tableOf(folder));
});
