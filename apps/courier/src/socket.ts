import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { boundConnections } from "@keyhearth/outbound/bound-connections";
import * as z from "zod";
import { type Answer, createLineReader, type Request } from "./protocol.ts";
import { CourierStartError } from "./start-error.ts";

const Asked = z.object({
  id: z.int(),
  request: z.discriminatedUnion("call", [
    z.object({ call: z.literal("describe") }),
    z.object({
      call: z.literal("deliver"),
      message: z.object({
        messageId: z.string(),
        kind: z.enum(["invitation", "email-login", "email-recovery", "email-code", "sms-code"]),
        sealed: z.string(),
        createdAtMs: z.int(),
        expiresAtMs: z.int(),
      }),
    }),
  ]),
});

/** Each process of the API has one. */
const MAX_CONNECTIONS = 64;

/** Listens on a Unix socket for the API, which runs under another user id of the same group. */
export async function listenOnSocket(
  path: string,
  answer: (request: Request) => Promise<Answer>,
  log: (event: { event: string; most: number }) => void,
): Promise<{ close(): Promise<void> }> {
  await removeDeadSocket(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const read = createLineReader((line) => void reply(socket, line));
    socket.on("data", (chunk) => {
      if (!read(chunk)) socket.destroy();
    });
  });

  boundConnections(server, MAX_CONNECTIONS, log);

  async function reply(socket: Socket, line: string) {
    const asked = Asked.safeParse(parseJson(line));
    if (!asked.success) return void socket.destroy();
    const { id, request } = asked.data;
    const given = await answer(request).catch(
      (): Answer => ({ kind: "error", message: "the courier could not do this" }),
    );
    if (!socket.destroyed) socket.write(`${JSON.stringify({ id, answer: given })}\n`);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new CourierStartError(
          `the courier cannot listen on the socket ${path} (${cause.code}); choose a path of at most 103 bytes in a directory that exists and that this user may write to`,
          { cause },
        ),
      ),
    );
    server.listen(path, resolve);
  });
  chmodSync(path, 0o660);
  return {
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function removeDeadSocket(path: string) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) {
    throw new CourierStartError(
      `${path} exists and is not a socket; move it or choose another path`,
    );
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (isAlive)
    throw new CourierStartError(`another courier is listening on ${path}; stop it first`);
  rmSync(path);
}
