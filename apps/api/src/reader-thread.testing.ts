import { parentPort, workerData } from "node:worker_threads";
import type { FromThread, QueryJob, ReaderSetup, ToThread } from "./reader/messages.ts";

/** A thread that does what the name of the job says, for tests of whose turn it is. */

const port = parentPort;
if (!port) throw new Error("this runs as a worker thread");

const asked = new Map<number, number>();

function tell(message: FromThread) {
  port?.postMessage(message);
}

const spent = (tookMs: number) => ({ tookMs, reads: 0 });

port.on("message", (message: ToThread) => {
  if (message.kind !== "job") {
    const id = asked.get(message.ask) ?? 0;
    if (message.kind === "refusal") {
      return tell({ kind: "failed", id, failure: { kind: "ask", ask: message.ask }, ...spent(1) });
    }
    return tell({ kind: "done", id, answer: message.value, ...spent(1) });
  }
  const { id, job } = message;
  const { name, request } = job as QueryJob;
  switch (name) {
    case "take":
      return tell({ kind: "done", id, answer: "taken", ...spent(Number(request)) });
    case "bounds":
      return tell({ kind: "done", id, answer: (workerData as ReaderSetup).bounds, ...spent(1) });
    case "ask":
      asked.set(id, id);
      return tell({ kind: "ask", ask: id, id, name: "read", parameters: ["SELECT 1", []] });
    case "die":
      return process.exit(1);
    case "hang":
      return;
  }
});
