import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs a file of this folder, or of a `file:` URL, in a separate process that answers one message at a time. */
export function startWorker<Task extends object, Result>(name: string) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const child: ChildProcess = fork(path, { execArgv: [] });
  return {
    pid: child.pid,
    ask(task: Task): Promise<Result> {
      return new Promise((resolve, reject) => {
        const onExit = () => reject(new Error(`${name} ended before it answered`));
        child.once("exit", onExit);
        child.once("message", (answer: { result: Result } | { error: string }) => {
          child.off("exit", onExit);
          if ("error" in answer) reject(new Error(answer.error));
          else resolve(answer.result);
        });
        child.send(task);
      });
    },
    stop: () => void child.kill(),
    ended: (listener: () => void) => void child.once("exit", listener),
  };
}
