// npm passes a signal on to the shell that runs a script, and many shells end without passing it further. What the
// script started would go on, and nobody would know.

const LOOK_MS = 200;

/**
 * Calls back once the shell that npm started is gone. Without npm, such as under systemd, a parent may end and
 * mean nothing by it.
 * @param {() => void} callback
 */
export function onParentGone(callback) {
  const { env, ppid } = process;
  if (env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    callback();
  }, LOOK_MS);
  timer.unref();
}
