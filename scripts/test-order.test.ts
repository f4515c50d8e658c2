import { expect, test } from "vitest";
import config from "../vitest.config.ts";
import { ProgramsFirst, programsFirst } from "./test-order.ts";

test("files whose process grows come last, and otherwise nothing changes", () => {
  const files = [
    "tests/attacks/users.test.ts",
    "tests/cli/mcp.test.ts",
    "apps/api/src/app.test.ts",
    "packages/cli/src/program.test.ts",
    "tests/start/start.test.ts",
  ];
  expect(programsFirst(files, (file) => file)).toEqual([
    "tests/cli/mcp.test.ts",
    "packages/cli/src/program.test.ts",
    "tests/start/start.test.ts",
    "tests/attacks/users.test.ts",
    "apps/api/src/app.test.ts",
  ]);
});

test("vitest takes files in this order", () => {
  expect(config.test?.sequence?.sequencer).toBe(ProgramsFirst);
});
