import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { onceAMinute } from "./once-a-minute.ts";

const INTERVAL_MS = 1000;

/**
 * Without a file descriptor, Node.js closes new connections and says nothing. So this asks for a descriptor
 * every second. What it finds is logged when it changes, and at most once a minute. `shortages` is how often there
 * was none, until now.
 */
export function watchDescriptors(
  log: (event: { event: string; shortages: number; cause?: Error }) => void,
): { shortages(): number; stop(): void } {
  let shortages = 0;
  let isShort = false;
  let isLogged = false;
  const isTime = onceAMinute();

  function look() {
    const cause = shortageOf();
    if (cause && !isShort) shortages += 1;
    const isOver = isShort && !cause;
    isShort = cause !== null;
    if (cause && isTime()) {
      isLogged = true;
      log({ event: "out of file descriptors", shortages, cause });
    }
    // Of a shortage that comes and goes, only what was logged is taken back.
    if (!isOver || !isLogged) return;
    isLogged = false;
    log({ event: "connections are accepted again", shortages });
  }

  const looking = setInterval(look, INTERVAL_MS).unref();
  return { shortages: () => shortages, stop: () => clearInterval(looking) };
}

/** The error, if the process or the system has none left. */
function shortageOf(): Error | null {
  try {
    closeSync(openSync(devNull, "r"));
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return error instanceof Error && (code === "EMFILE" || code === "ENFILE") ? error : null;
  }
}
