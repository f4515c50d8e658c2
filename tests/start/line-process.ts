import { createConnection, createServer, type Socket } from "node:net";
import type { Listening } from "./line.ts";

// Relays connections between two machines of a test. It is stopped to cut them, so nothing here knows of cuts.

const backlog = Number(process.argv[2]);
const targets = process.argv.slice(3).map((target) => new URL(target));

/** The far side hears of a connection with its first bytes, which the near side sends in all of our protocols. */
function relay(near: Socket, { hostname, port }: URL) {
  near.on("error", () => {});
  near.once("data", (first) => {
    const far = createConnection(Number(port), hostname);
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
  });
}

function listen(target: URL): Promise<number> {
  const server = createServer({ noDelay: true }, (near) => relay(near, target));
  return new Promise((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", backlog }, () => {
      const address = server.address();
      resolve(address === null || typeof address === "string" ? 0 : address.port);
    });
  });
}

const ports = await Promise.all(targets.map(listen));
process.send?.({ ports } satisfies Listening);
process.once("disconnect", () => process.exit());
