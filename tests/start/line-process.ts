import { fork } from "node:child_process";
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Kept, Listening, Way } from "./line.ts";

// Relays connections between two machines of a test. It is stopped to cut them both ways, and told what to keep if it is
// one way only: then the other way goes on, as in a network that loses the packets of one side.

const [backlog = "", ...rest] = process.argv.slice(2);
const targets = rest.map((target) => new URL(target));

let kept: Way | null = null;
const sides: Record<"there" | "back", Set<Socket>> = { there: new Set(), back: new Set() };

/** Reads what goes this way, unless it is kept. What is not read waits in the system. */
function read(from: Socket, way: "there" | "back") {
  sides[way].add(from);
  from.once("close", () => sides[way].delete(from));
  if (kept === way) from.pause();
}

/** The far side hears of a connection with its first bytes, which the near side sends in all of our protocols. */
function relay(near: Socket, { hostname, port }: URL) {
  near.on("error", () => {});
  near.once("data", (first) => {
    const far = createConnection({ port: Number(port), host: hostname, noDelay: true });
    far.on("error", () => {});
    far.write(first);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => to.write(chunk));
      from.once("end", () => to.end());
      from.once("close", () => to.destroySoon());
    }
    read(far, "back");
  });
  near.resume();
  read(near, "there");
}

process.on("message", ({ keep }: Kept) => {
  kept = keep;
  for (const way of ["there", "back"] as const) {
    for (const socket of sides[way]) {
      if (kept === way) socket.pause();
      else socket.resume();
    }
  }
});

const program = fileURLToPath(new URL("line-door.ts", import.meta.url));
const door = fork(program, [backlog, String(targets.length)], { execArgv: [] });
const [{ ports }] = (await once(door, "message")) as [{ ports: number[] }];
door.on("message", ({ at }: { at: number }, near: Socket | undefined) => {
  const target = targets[at];
  // It may have ended on its way here.
  if (near && target) relay(near, target);
});
process.send?.({ ports, door: Number(door.pid) } satisfies Listening);
process.once("disconnect", () => process.exit());
