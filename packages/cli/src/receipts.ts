import type { Given, Surroundings } from "./command.ts";
import { chosenProfile } from "./connection/profiles.ts";
import { InputError } from "./errors.ts";
import { labelOf, readText } from "./json.ts";

/** An export of receipts, as it is: the SDK checks every part. */
export async function readReceipts(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readText(file));
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(
      `${labelOf(file)} is not JSON: give a file of \`keyhearth receipts export\``,
    );
  }
}

/** The quorum key that somebody has pinned before: a key from the service itself would prove nothing. */
export async function quorumKeyOf(given: Given, { env }: Surroundings): Promise<string> {
  const text =
    given.option("quorum-public-key") ?? (await chosenProfile(given, env))?.quorumPublicKey;
  if (text !== undefined && /^(04[0-9a-f]{128}){2}$/i.test(text)) return text.toLowerCase();
  throw new InputError(
    text === undefined
      ? "no quorum key is known here: give yours with --quorum-public-key, or the profile that has pinned it with --profile"
      : "--quorum-public-key must be 130 bytes in hex, as your operator has published it",
  );
}

/** How many receipts these segments have, by what the signer has signed of them. */
export function countLeaves(segments: readonly { payload: string }[]): number {
  return segments.reduce((sum, { payload }) => sum + Number(membersOf(payload).size ?? 0), 0);
}

/** The number of the last segment of a page, or 0. */
export function lastNumberOf(segments: readonly { payload: string }[]): number {
  const { number } = membersOf(segments.at(-1)?.payload ?? "{}");
  return Number.isSafeInteger(number) ? Number(number) : 0;
}

function membersOf(payload: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
