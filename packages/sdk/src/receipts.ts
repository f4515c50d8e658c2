import { KeyhearthError } from "./errors.ts";
import type { GetReceiptsRequest, GetReceiptsResponse, ReceiptsFile } from "./generated/types.ts";
import type { QueryOptions } from "./options.ts";

/** The part of a client that reads receipts. */
export type ReceiptsReader = {
  getReceipts(
    parameters: Omit<GetReceiptsRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetReceiptsResponse>;
};

/**
 * Reads all receipts of an organization, or those after a segment, into one file, page by page. The
 * file comes from the service: verify it with `verifyReceipts` and the quorum public key that you have
 * pinned.
 */
export async function exportReceipts(
  client: ReceiptsReader,
  { afterSegment = 0, ...options }: QueryOptions & { afterSegment?: number } = {},
): Promise<ReceiptsFile> {
  let file: ReceiptsFile | undefined;
  let after = afterSegment;
  for (;;) {
    const page = await client.getReceipts({ afterSegment: String(after), limit: "100" }, options);
    const { receiptsFile, hasMore } = page;
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
      const message = "the service answered a page of receipts that leads nowhere";
      throw new KeyhearthError(message, { code: "INVALID_RESPONSE" });
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
