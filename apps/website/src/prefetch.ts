// How links that come into view have their pages loaded beforehand. The theme does that for all of them at once and
// looks through all routes for each, which on a slow phone is the longest task of a page.

/** A function with the results of its earlier calls. */
export function remembering<Result>(
  compute: (argument: string) => Result,
): (argument: string) => Result {
  const results = new Map<string, Result>();
  return (argument) => {
    const known = results.get(argument);
    if (known !== undefined) return known;
    const result = compute(argument);
    results.set(argument, result);
    return result;
  };
}

/** Does the work for one argument at a time, each when the browser has nothing else to do. */
export function whenIdle(work: (argument: string) => unknown): (argument: string) => void {
  const waiting: string[] = [];
  const workOnNext = () => {
    const argument = waiting[0];
    if (argument === undefined) return;
    try {
      work(argument);
    } finally {
      waiting.shift();
      if (waiting.length > 0) scheduleIdle(workOnNext);
    }
  };
  return (argument) => {
    waiting.push(argument);
    if (waiting.length === 1) scheduleIdle(workOnNext);
  };
}

function scheduleIdle(work: () => void) {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === "undefined") setTimeout(work, 100);
  else requestIdleCallback(work);
}
