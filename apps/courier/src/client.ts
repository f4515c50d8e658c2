import { createConnection, type Socket } from "node:net";
import { deferred } from "@keyhearth/outbound/deferred";
import type { Courier } from "./courier.ts";
import { type Answer, createLineReader, type Request } from "./protocol.ts";

/** How the API asks a courier, in its own process or in another one. */
export type CourierClient = {
  ask(request: Request): Promise<Answer>;
  close(): void;
};

export function askEmbedded(courier: Courier): CourierClient {
  return { ask: courier.answer, close: courier.close };
}

const ANSWER_MS = 90_000;

type Waiting = { resolve(answer: Answer): void; reject(error: Error): void };

/** Connects when it is first asked, and again after the connection was lost. */
export function connectToCourier(path: string): CourierClient {
  const waiting = new Map<number, Waiting>();
  let socket: Socket | null = null;
  let lastId = 0;

  function connect(): Socket {
    const own = createConnection(path);
    const read = createLineReader((line) => {
      const { id, answer } = JSON.parse(line);
      waiting.get(id)?.resolve(answer);
    });
    own.on("data", (chunk) => {
      if (!read(chunk)) own.destroy();
    });
    own.on("error", () => own.destroy());
    own.on("close", () => {
      if (socket === own) socket = null;
      for (const each of waiting.values()) each.reject(new Error("the courier cannot be reached"));
    });
    own.unref();
    return own;
  }

  return {
    async ask(request) {
      socket ??= connect();
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = deferred<Answer>();
      const timer = setTimeout(() => reject(new Error("the courier does not answer")), ANSWER_MS);
      waiting.set(id, { resolve, reject });
      socket.write(`${JSON.stringify({ id, request })}\n`);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(id);
      }
    },
    close: () => socket?.destroy(),
  };
}
