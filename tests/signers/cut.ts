import { createConnection, createServer, type Socket } from "node:net";

/** A line between a signer and etcd that can be cut: what is sent then arrives nowhere, and nobody learns of it. */
export type Line = {
  url: string;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
};

export async function drawLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target);
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (isCut) near.pause();
    const far = createConnection(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isCut) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    /** What was under way arrives now. */
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}
