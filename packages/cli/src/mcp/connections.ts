import type { Server } from "node:http";
import type { Socket } from "node:net";

// Any program of this machine can connect, also one of another user, from any address of 127.0.0.0/8. So connections count
// by whether they have shown the token, and not by their address.

/** Those that have not shown the token yet. Beyond it, the oldest is cut. */
const MOST_STRANGERS = 64;

/** From the connection to the token, whatever else is sent. */
const PATIENCE_MS = 5000;

/** Those of clients. Beyond it, the one that has been without a request for longest is cut. */
const MOST_CLIENTS = 64;

type Connections = {
  /** A request on this connection has the token. False if as many clients as there may be are at work. */
  readonly prove: (socket: Socket) => boolean;
};

/** Bounds the connections of a server, so that those who do not know the token take no place of those who do. */
export function boundConnections(server: Server): Connections {
  const strangers = new Map<Socket, NodeJS.Timeout>();
  /** How many requests of each are under way, in the order in which they last began or ended one. */
  const clients = new Map<Socket, number>();

  server.on("connection", (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    timer.unref();
    strangers.set(socket, timer);
    socket.once("close", () => {
      clearTimeout(timer);
      strangers.delete(socket);
      clients.delete(socket);
    });
    if (strangers.size > MOST_STRANGERS) cutFirst(strangers.keys());
  });

  server.on("request", ({ socket }, response) => {
    // The token of the first request is checked after this.
    count(socket, 1);
    response.once("close", () => count(socket, -1));
  });

  function count(socket: Socket, change: 1 | -1) {
    const underWay = clients.get(socket);
    if (underWay === undefined) return;
    clients.delete(socket);
    clients.set(socket, Math.max(0, underWay + change));
  }

  return {
    prove(socket) {
      const timer = strangers.get(socket);
      if (timer === undefined) return true;
      if (clients.size >= MOST_CLIENTS) {
        const idle = [...clients].flatMap(([each, underWay]) => (underWay === 0 ? [each] : []));
        if (idle.length === 0) return false;
        cutFirst(idle);
      }
      clearTimeout(timer);
      strangers.delete(socket);
      clients.set(socket, 1);
      return true;
    },
  };
}

function cutFirst(sockets: Iterable<Socket>) {
  for (const oldest of sockets) return void oldest.destroy();
}
