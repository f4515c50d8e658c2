import { expect } from "vitest";
import { type Environment, type Limits, runMain } from "./process.ts";

/** A start that is refused: one line without a stack, and exit code 1. */
export async function sentenceOf(environment: Environment, limits?: Limits): Promise<string> {
  const refused = runMain(environment, [], limits);
  // A start that hangs is stopped, and then fails the assertions.
  const timer = setTimeout(() => refused.child.kill("SIGKILL"), 60_000);
  const code = await refused.ended;
  clearTimeout(timer);
  expect(refused.stderr()).toMatch(/^keyhearth: .+\n$/);
  expect(code).toBe(1);
  return refused.stderr();
}
