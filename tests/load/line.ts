import { connect, type Socket } from "node:net";

/** A connection that sends what it is given. */
export async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("close", () => reject(new Error("no connection")));
  });
  return socket;
}

/** Resolves when the connection ends, or after so long. */
export function closedWithin(socket: Socket, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const timer = setTimeout(resolve, ms);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The status of the first answer, whose rest is dropped as it comes, so that reading it costs little. */
export function statusOf(socket: Socket, ms = 60_000): Promise<number> {
  return new Promise((resolve, reject) => {
    let head = "";
    let status: number | null = null;
    let left = Number.POSITIVE_INFINITY;
    const finish = (outcome: () => void) => {
      clearTimeout(timer);
      socket.off("data", read).off("close", lost);
      outcome();
    };
    const lost = () => finish(() => reject(new Error("the connection was lost")));
    const timer = setTimeout(lost, ms);
    function read(chunk: Buffer) {
      if (status === null) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        status = Number(head.slice(9, 12));
        const length = /content-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
        left = Number(length ?? 0) - (head.length - end - 4);
      } else left -= chunk.length;
      const known = status;
      if (left <= 0) finish(() => resolve(known));
    }
    socket.on("data", read).on("close", lost);
  });
}
