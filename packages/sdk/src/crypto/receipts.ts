import { getReceipts } from "../calls/generated/calls.ts";
import { pageOf } from "../connection/answers.ts";
import type { Connection } from "../connection/connection.ts";
import type { QueryOptions } from "../connection/options.ts";
import { asObject } from "../errors/as-object.ts";
import { UnexpectedAnswer } from "../errors/errors.ts";
import { checkConnection } from "../errors/invalid-fields.ts";
import type { ReceiptsFile } from "../generated/types.ts";

/**
 * Reads all receipts of an organization, or those after a segment, into one file, page by page. The
 * file comes from the service: verify it with `verifyReceipts` and the quorum public key that you have
 * pinned.
 */
export async function exportReceipts(
  connection: Connection,
  given: QueryOptions & { afterSegment?: number } = {},
): Promise<ReceiptsFile> {
  const { afterSegment = 0, ...options } = asObject(given);
  checkConnection(connection);
  let file: ReceiptsFile | undefined;
  let after = afterSegment;
  for (;;) {
    const parameters = { afterSegment: String(after), limit: "100" };
    const { receiptsFile, hasMore } = await getReceipts(connection, parameters, options);
    if (!Array.isArray(receiptsFile?.segments) || !Array.isArray(receiptsFile.receipts)) {
      throw new UnexpectedAnswer(
        "The service answered without receipts. Update the service, or check what runs at baseUrl",
        { code: "INVALID_RESPONSE", docsUrl: pageOf(connection.baseUrl, "INVALID_RESPONSE") },
      );
    }
    if (file) {
      file.segments.push(...receiptsFile.segments);
      // One by one, because a page may have more receipts than a call may have arguments.
      for (const receipt of receiptsFile.receipts) file.receipts.push(receipt);
    } else {
      file = receiptsFile;
    }
    if (!hasMore) return file;
    const last = lastNumber(receiptsFile);
    if (!(last > after)) {
      throw new UnexpectedAnswer(
        `The page of receipts after segment ${after} says that there are more, but it has no later segment. Do not use the receipts, and ask your operator`,
        { code: "INVALID_RESPONSE", docsUrl: pageOf(connection.baseUrl, "INVALID_RESPONSE") },
      );
    }
    after = last;
  }
}

function lastNumber({ segments }: ReceiptsFile): number {
  try {
    const { number } = JSON.parse(segments.at(-1)?.payload ?? "{}");
    return Number.isSafeInteger(number) ? number : 0;
  } catch {
    return 0;
  }
}
