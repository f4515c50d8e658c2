import { verifyReceipts } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { count, plain, type Report } from "../output.ts";
import { quorumKeyOf, readReceipts } from "../receipts.ts";

/** Checks exported receipts without a network, by the quorum key that a profile or a person has pinned. */
export async function receiptsVerify(given: Given, surroundings: Surroundings): Promise<Report> {
  const file = await readReceipts(given.word(0));
  const key = await quorumKeyOf(given, surroundings);
  const report = verifyReceipts(file, key, { from: given.option("from") ?? null });
  const { valid, problems, receipts, segments, leavesNotShown, lastSegment } = report;
  const rest = leavesNotShown > 0 ? `, and ${count(leavesNotShown, "receipt")} not shown` : "";
  return {
    exitCode: valid ? 0 : 1,
    json: report,
    text: (paint) =>
      [
        valid
          ? `${paint("green", "valid")}: ${count(receipts, "receipt")} in ${count(segments, "segment")}${rest}`
          : `${paint("red", "not valid")}: ${count(problems.length, "problem")}`,
        ...problems.map(({ code, message }) => `${code}: ${plain(message)}`),
        ...(lastSegment
          ? [`last segment ${lastSegment.number}, digest ${lastSegment.digest}`]
          : []),
      ].join("\n"),
  };
}
