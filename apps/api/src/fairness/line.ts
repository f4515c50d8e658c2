import { ApiError } from "@keyhearth/engine/errors";

/** No client waits for longer, and what waits keeps its bytes. */
export const LONGEST_WAIT_MS = 60_000;

/** Resolves when the request is called from the line. Throws, and leaves the line, if that takes too long. */
export function waitInLine(waitMs: number, join: (call: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = join(() => {
      clearTimeout(timer);
      resolve();
    });
    const timer = setTimeout(() => {
      leave();
      reject(tooLong());
    }, waitMs);
    timer.unref();
  });
}

function tooLong(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "the request waited too long for its turn, because of others of this organization, of other sub-organizations of its parent, or of organizations that signed up; wait for the answers of some and send the same bytes again",
  );
}
