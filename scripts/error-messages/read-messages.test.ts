import { expect, test } from "vitest";
import { readMessages } from "./read-messages.ts";

const read = (...sources: string[]) => readMessages(sources).map(({ code, text }) => [code, text]);

test("a message is read with an ellipsis for each value", () => {
  expect(
    read('throw new ApiError("NOT_FOUND", "NAME_TAKEN", "the name `" + name + "` is taken")'),
  ).toEqual([["NAME_TAKEN", "the name `…` is taken"]]);
});

test("functions that make errors are followed, through others and into other files", () => {
  const invalid =
    'export function invalid(field, message, reason = "FIELD_INVALID") { return new ApiError("X", reason, message, { field }); }';
  const late =
    'function late(message) { return invalid("timestampMs", message, "TIMESTAMP_OUT_OF_RANGE"); } throw late("the time is " + ms + " ms ago");';
  const plain = 'throw invalid("a", "the field must be set");';
  expect(read(invalid, late, plain)).toEqual([
    ["TIMESTAMP_OUT_OF_RANGE", "the time is … ms ago"],
    ["FIELD_INVALID", "the field must be set"],
  ]);
});

test("alternatives are all read: conditions, constants and what functions return", () => {
  expect(
    read(`
      export const WHY = "send it again later";
      function what(x) { if (x) return "the disk is full"; return "the disk is read-only"; }
      throw new ApiError("UNAVAILABLE", "DISK_FULL", \`\${what(1)}: \${ready ? "wait for it" : WHY}\`);
    `),
  ).toEqual([
    ["DISK_FULL", "the disk is full: wait for it"],
    ["DISK_FULL", "the disk is full: send it again later"],
    ["DISK_FULL", "the disk is read-only: wait for it"],
    ["DISK_FULL", "the disk is read-only: send it again later"],
  ]);
});

test("errors of the SDK, rules of schemas and refused starts are read too", () => {
  expect(
    read(`
      throw new Unavailable("the service is not there", { code: "NETWORK", cause });
      z.string().refine(isUrl, "must be an https URL");
      throw new StartError(\`the port \${port} is in use\`);
    `),
  ).toEqual([
    ["NETWORK", "the service is not there"],
    ["FIELD_INVALID", "must be an https URL"],
    ["START", "the port … is in use"],
  ]);
});

test("what says nothing is left out", () => {
  expect(read('throw new ApiError("X", "NOT_FOUND", noun + " " + id);')).toEqual([]);
  expect(read("new Map([[1, 2]]); new Error('a bug in the code');")).toEqual([]);
});
