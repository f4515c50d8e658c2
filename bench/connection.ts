import { connect } from "node:net";

export type Connection = {
  /** Sends the bytes of one HTTP request and resolves with status and body. One request at a time. */
  send(request: Buffer): Promise<{ status: number; body: Buffer }>;
  close(): void;
};

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

const READ_BYTES = 64 * 1024;

/**
 * A kept-alive connection that parses only as much of HTTP as it needs, so that the load costs
 * little.
 */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  type Waiting = {
    resolve: (answer: { status: number; body: Buffer }) => void;
    reject: (error: Error) => void;
  };
  let waiting: Waiting | null = null;
  let pending: Buffer | null = null;

  /** Adds bytes to the answer. True once the answer is complete. */
  function read(bytes: Buffer): boolean {
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const head = bytes.toString("latin1", 0, headEnd);
    const start = headEnd + HEAD_END.length;
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined && bytes.indexOf(LAST_CHUNK, start) < 0) return false;
    const end = length === undefined ? bytes.length : start + Number(length);
    if (bytes.length < end) return false;
    const caller = waiting;
    waiting = null;
    caller?.resolve({ status: Number(head.slice(9, 12)), body: bytes.subarray(start, end) });
    return true;
  }

  const socket = connect({
    port: Number(port),
    host: hostname,
    noDelay: true,
    // One buffer for all reads of this connection. An answer is read before the next request is sent.
    onread: {
      buffer: Buffer.allocUnsafe(READ_BYTES),
      callback(size, buffer) {
        const chunk = (buffer as Buffer).subarray(0, size);
        const bytes: Buffer = pending ? Buffer.concat([pending, chunk]) : chunk;
        pending = read(bytes) ? null : Buffer.from(bytes);
        return true;
      },
    },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
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
