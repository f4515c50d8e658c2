import { parentPort } from "node:worker_threads";
import type { Picture } from "./logo-form.ts";
import type { Fitted } from "./logo-picture.ts";
import { fitIntoBox } from "./logo-pixels.ts";

/** The thread that decodes logos. */

const BOX = { width: 340, height: 124 };

const port = parentPort;
if (!port) throw new Error("logos are decoded in a worker thread");

port.on("message", (picture: Picture) => {
  const fitted = tryToFit(picture);
  port.postMessage(fitted, fitted ? [fitted.buffer] : []);
});

function tryToFit(picture: Picture): Fitted {
  try {
    // In memory of its own, which is given away: small buffers share theirs.
    return new Uint8Array(fitIntoBox(picture, BOX));
  } catch {
    return null;
  }
}
