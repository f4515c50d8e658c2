import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** More than any file of the embedded database has. What stays empty takes no memory. */
const AT_ONCE_BYTES = 16 * 1024 * 1024;

/** Decompresses in one piece. In pieces of 16 KB, as Node.js does it, half of the time is for handing them over. */
export function unbrotli(compressed: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return promisify(brotliDecompress)(compressed, { chunkSize: AT_ONCE_BYTES });
}
