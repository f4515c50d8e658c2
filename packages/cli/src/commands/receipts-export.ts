import { exportReceipts } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { writePrivate } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { count, plain, type Report } from "../output.ts";

/** Writes the receipts of the organization to a file. Nothing about them is verified yet. */
export async function receiptsExport(given: Given, surroundings: Surroundings): Promise<Report> {
  const file = given.word(0);
  const afterSegment = given.count("after-segment", { least: 0, most: 999_999_999 }) ?? 0;
  const { client } = await connect(given, surroundings);
  const receipts = await exportReceipts(client, { afterSegment });
  const text = `${JSON.stringify(receipts)}\n`;
  if (!(await writePrivate(file, text, { isNew: true, isOwnFolder: false }))) {
    throw new InputError(`${plain(file)} exists: give the name of a new file`);
  }
  const [segments, all] = [receipts.segments.length, receipts.receipts.length];
  return {
    exitCode: 0,
    json: { file, segments, receipts: all },
    text: () =>
      `wrote ${count(all, "receipt")} in ${count(segments, "segment")} to ${plain(file)}: verify them with \`keyhearth receipts verify\``,
  };
}
