/** Lines about refused requests. A page in a browser can cause as many as it likes, so at most a few a minute are written. */
export function refusalLog(log: (line: string) => void, now = Date.now): (line: string) => void {
  let start = Number.NEGATIVE_INFINITY;
  let written = 0;
  let left = 0;
  return (line) => {
    const at = now();
    if (at - start >= MINUTE_MS || at < start) {
      if (left > 0) log(`${left} more refusals are not shown`);
      [start, written, left] = [at, 0, 0];
    }
    if (written >= MOST_LINES) {
      left += 1;
      return;
    }
    written += 1;
    log(line);
  };
}

const MINUTE_MS = 60_000;
const MOST_LINES = 5;
