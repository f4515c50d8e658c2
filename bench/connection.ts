import { connect } from "node:net";

export type Connection = {
  /** Sends the bytes of one HTTP request; resolves with status and body. One at a time. */
  send(request: Buffer): Promise<{ status: number; body: Buffer }>;
  close(): void;
};

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** A kept-alive connection that reads just enough of HTTP, so that the load costs little. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
  });
  type Waiting = {
    resolve: (answer: { status: number; body: Buffer }) => void;
    reject: (error: Error) => void;
  };
  let waiting: Waiting | null = null;
  let pending: Buffer = Buffer.alloc(0);

  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const headEnd = pending.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = pending.toString("latin1", 0, headEnd);
    const start = headEnd + HEAD_END.length;
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    let end: number;
    if (length !== undefined) {
      end = start + Number(length);
      if (pending.length < end) return;
    } else {
      if (pending.indexOf(LAST_CHUNK, start) < 0) return;
      end = pending.length;
    }
    const answer = { status: Number(head.slice(9, 12)), body: pending.subarray(start, end) };
    pending = pending.subarray(end);
    const caller = waiting;
    waiting = null;
    caller?.resolve(answer);
  });
  const fail = () => {
    waiting?.reject(new Error("the connection was lost"));
    waiting = null;
  };
  socket.on("error", fail).on("close", fail);

  return {
    send(request) {
      return new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error("the connection was lost"));
        waiting = { resolve, reject };
        socket.write(request);
      });
    },
    close: () => socket.destroy(),
  };
}
