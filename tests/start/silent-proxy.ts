import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands for the network between two machines, until one of them loses its power. */
export type SilentProxy = {
  port: number;
  /** From now on nothing passes, no connection is closed, and no new one is taken. */
  fallSilent(): void;
  /** The machine has power, and takes connections. Its program says nothing. */
  hang(): void;
  close(): void;
};

export async function startSilentProxy(target: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (chunk) => {
      if (!isSilent) to.write(chunk);
    });
    from.on("error", () => from.destroy());
    from.on("close", () => {
      sockets.delete(from);
      if (!isSilent) to.destroy();
    });
  };
  const server = createServer((socket) => {
    const other = connect(target, "127.0.0.1");
    pass(socket, other);
    pass(other, socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent() {
      isSilent = true;
      server.close();
    },
    hang() {
      isSilent = true;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
