import { expect, test } from "vitest";
import {
  appleSelf,
  fidoU2f,
  packedCostly,
  packedFull,
  packedSelf,
} from "../attestation-statements.testing.ts";
import { newPasskey, type StatementMaker } from "../passkey.testing.ts";
import { statementName, verifyStatements } from "./attestation-statements.ts";

async function verdictOn(statement: StatementMaker, change = (text: string) => text) {
  const { attestation } = newPasskey({ statement }).params;
  const given = { ...attestation, attestationObject: change(attestation.attestationObject) };
  return (await verifyStatements([given])).get(statementName(given));
}

test.each([
  ["packed by itself", packedSelf],
  ["packed with a certificate", packedFull],
  ["fido-u2f", fidoU2f],
])("%s verifies, and not for another request", async (_, statement) => {
  expect(await verdictOn(statement)).toBe(true);
  const elsewhere: StatementMaker = (made) =>
    statement({ ...made, clientDataHash: new Uint8Array(32) });
  expect(await verdictOn(elsewhere)).toBe(false);
});

test("certificates must lead to the maker of the authenticator", async () => {
  expect(await verdictOn(appleSelf)).toBe(false);
});

test("a certificate with a key that takes long to verify with is not looked at", async () => {
  expect(await verdictOn(packedCostly)).toBe(false);
});

test("every statement has a verdict of its own", async () => {
  const [good, bad] = [packedSelf, appleSelf].map(
    (statement) => newPasskey({ statement }).params.attestation,
  );
  if (!good || !bad) throw new Error("two statements");
  const verdicts = await verifyStatements([bad, good]);
  expect([...verdicts]).toEqual([
    [statementName(bad), false],
    [statementName(good), true],
  ]);
});
