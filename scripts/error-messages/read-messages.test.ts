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

test("a function of the file hides one of the same name, and an exported one's sentences are followed", () => {
  const shared = `
    export function refused(name) { return new StartError(\`\${name} is refused here\`); }
    export function why(x) { if (!x) return null; return \`was written by \${x}, which is newer\`; }`;
  const other = `
    function refused(why) { return new SignerStateError(\`ISSUERS: \${why}\`); }
    throw refused("the file is too long");`;
  const third = `
    throw refused("PORT");
    throw new StartError(\`the database \${why(by)}\`);`;
  expect(read(shared, other, third)).toEqual([
    ["START", "… is refused here"],
    ["START", "ISSUERS: the file is too long"],
    ["START", "PORT is refused here"],
    ["START", "the database was written by …, which is newer"],
  ]);
});

test("tables of sentences, classes of errors and what launchers write are read", () => {
  const table = `
    const problems = { EACCES: "may not be read", ENOENT: "does not exist" };
    throw new StartError(\`the file \${path} \${problems[code]}\`);`;
  const subclass = `
    class Lost extends StartError { constructor(path) { super(\`the marks \${path} are lost\`); } }`;
  const launcher = `
    fail(\`Node.js \${node} is too old\`);
    function fail(sentence) { process.stderr.write(\`keyhearth: \${sentence}\\n\`); }`;
  expect(read(table, subclass, launcher)).toEqual([
    ["START", "the file … may not be read"],
    ["START", "the file … does not exist"],
    ["START", "the marks … are lost"],
    ["START", "Node.js … is too old"],
  ]);
});

test("what says nothing is left out", () => {
  expect(read('throw new ApiError("X", "NOT_FOUND", noun + " " + id);')).toEqual([]);
  expect(read("new Map([[1, 2]]); new Error('a bug in the code');")).toEqual([]);
});
