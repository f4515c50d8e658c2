import { newPasskey, type StatementMaker } from "@keyhearth/engine/passkey.testing";
import { statementName } from "@keyhearth/engine/people/attestation-statements";
import { expect, test } from "vitest";
import { verifyOneByOne } from "./verify-one-by-one.ts";

/** A statement that the library refuses without waiting for anything. */
const malformed: StatementMaker = () => ({ format: "packed", statement: Uint8Array.of(0xa0) });

test("between two statements, other work gets a turn", async () => {
  const statements = Array.from(
    { length: 5 },
    () => newPasskey({ statement: malformed }).params.attestation,
  );
  // Loads the library, which takes turns of its own.
  await verifyOneByOne(statements.slice(0, 1));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const verdicts = await verifyOneByOne(statements);
  isDone = true;
  expect([...verdicts]).toEqual(statements.map((each) => [statementName(each), false]));
  expect(turns).toBeGreaterThanOrEqual(5);
});
