import { compareReceipts } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { count, plain, type Report } from "../output.ts";
import { quorumKeyOf, readReceipts } from "../receipts.ts";

/** Finds out whether two exports tell the same history. */
export async function receiptsCompare(given: Given, surroundings: Surroundings): Promise<Report> {
  const [a, b] = [await readReceipts(given.word(0)), await readReceipts(given.word(1))];
  const comparison = compareReceipts(a, b, await quorumKeyOf(given, surroundings));
  const { valid, problems, compared } = comparison;
  return {
    exitCode: valid && compared > 0 ? 0 : valid ? 3 : 1,
    json: comparison,
    text: (paint) => {
      if (valid && compared === 0) {
        return `${paint("yellow", "unknown")}: the files have no segment in common, so nothing was compared`;
      }
      return [
        valid
          ? `${paint("green", "the same history")}: ${count(compared, "segment")} compared`
          : `${paint("red", "not the same history")}: ${count(problems.length, "problem")}`,
        ...problems.map(({ code, message }) => `${code}: ${plain(message)}`),
      ].join("\n");
    },
  };
}
