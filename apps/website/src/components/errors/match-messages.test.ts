import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorMessages } from "./generated/error-messages.ts";
import { matchMessages } from "./match-messages.ts";

const codeOf = (text: string) => matchMessages(text, errorMessages)[0]?.code;
const id = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

test.each([
  ["could not verify", "STAMP_INVALID"],
  [
    `could not verify api key signature organizationId=${id} publicKey=02ab: the body may have been changed or serialized again after it was stamped; send exactly the bytes that were stamped`,
    "STAMP_INVALID",
  ],
  ["You don't have sufficient permissions to take this action.", "POLICY_DENIED"],
  ["permissions", "POLICY_DENIED"],
  ["sufficient", "POLICY_DENIED"],
  [
    "`timestampMs` is 1793728598 s old: it must be less than one hour old",
    "TIMESTAMP_OUT_OF_RANGE",
  ],
  ["Unavailable: Could not reach http://localhost:3000: nothing listens there.", "NETWORK"],
  [
    "keyhearth: the data directory /srv/data is already in use by process 3746; stop it, set KEYHEARTH_DATA_DIR to another directory",
    "START",
  ],
  [
    `{"time":"2026-01-31T09:30:00.000Z","event":"refused","message":"document version 3 of organization ${id} is older than version 9, which the signer has seen"}`,
    "STALE_RECORD",
  ],
  ['12:30:01 warn a wallet with the name \\"ops\\" already exists', "NAME_TAKEN"],
])("%s is found", (text, code) => {
  expect(codeOf(text)).toBe(code);
});

test("what no message has is not found, and a long text costs little", () => {
  expect(matchMessages("", errorMessages)).toEqual([]);
  expect(matchMessages("lorem ipsum dolor", errorMessages)).toEqual([]);
  const startedAt = performance.now();
  matchMessages("could the signer ".repeat(100_000), errorMessages);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test("every code with a message has an entry on the page of errors", () => {
  const page = readFileSync(
    new URL("../../../docs/developer-reference/api-overview/errors.mdx", import.meta.url),
    "utf8",
  );
  const codes = Object.keys(errorMessages).filter((code) => code !== "START");
  expect(codes.length).toBeGreaterThan(50);
  expect(codes.filter((code) => !page.includes(`<ErrorReason code="${code}"`))).toEqual([]);
});
