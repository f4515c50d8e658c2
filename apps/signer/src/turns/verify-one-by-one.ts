import {
  type Statement,
  type Verdicts,
  verifyStatements,
} from "@keyhearth/engine/people/attestation-statements";

/**
 * Verifies attestation statements. Other calls are handled in between, because the library works on a
 * malformed statement for a long time without a pause.
 */
export async function verifyOneByOne(statements: readonly Statement[]): Promise<Verdicts> {
  const verdicts = new Map<string, boolean | string>();
  for (const statement of statements) {
    for (const [name, verdict] of await verifyStatements([statement])) verdicts.set(name, verdict);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return verdicts;
}
