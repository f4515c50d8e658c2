import { constants as os, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Encoding } from "./serve/encoding.ts";
import type { Compressed, ToCompress } from "./serve/forms.ts";

/** The compressor's thread: it compresses one text after the other. */

const port = parentPort;
if (!port) throw new Error("the compressor runs as a worker thread");

// On Linux this is about this thread alone: signatures go first on a busy machine.
if (process.platform === "linux") setPriority(os.priority.PRIORITY_BELOW_NORMAL);

/** At this quality brotli takes about half a second for a megabyte. */
const BROTLI_QUALITY = 10;

port.on("message", ({ bytes, encoding }: ToCompress) => {
  // A copy, because a small buffer of Node.js is a piece of a larger one, which cannot be transferred.
  const compressed: Compressed = new Uint8Array(compress(bytes, encoding));
  port.postMessage(compressed, [compressed.buffer]);
});

function compress(bytes: Uint8Array, encoding: Encoding): Buffer {
  if (encoding === "gzip") return gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
