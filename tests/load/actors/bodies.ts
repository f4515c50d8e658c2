import type { Socket } from "node:net";
import { newApiKey, stamperOf } from "../../../bench/requests.ts";
import { type Actor, type Attack, repeat, sleep } from "../attack.ts";
import { closedWithin, dial } from "../line.ts";
import { times } from "./lists.ts";

const SENDERS = 40;
const STALLED = 1500;

/** Bodies that come in chunks of a byte, and bodies that stop coming. */
export const bodies: Actor = (attack) => {
  const stamp = stamperOf(newApiKey().privateKey)("anything");
  return Promise.all([
    ...times(SENDERS, (i) =>
      repeat(attack, () => inBytes(attack, headOf(stamp, sender(i), "chunked")), 1000),
    ),
    ...times(STALLED, async (i) => {
      await sleep(10 * i);
      await repeat(attack, () => stall(attack, headOf(stamp, sender(i), 1000)), 1000);
    }),
  ]);
};

const sender = (i: number) => `192.0.2.${1 + (i % SENDERS)}`;

/** The head of a request whose body follows, and perhaps never ends. */
function headOf(stamp: string, from: string, length: number | "chunked"): string {
  const size = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  const lines = [
    "POST /public/v1/submit/create_wallet HTTP/1.1",
    "Host: keyhearth.test",
    `X-Forwarded-For: ${from}`,
    `X-Stamp: ${stamp}`,
    size,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function inBytes({ world }: Attack, head: string): Promise<string> {
  const socket = await dial(world.url);
  socket.resume();
  socket.write(head);
  const writing = setInterval(() => socket.write("1\r\n{\r\n".repeat(10)), 10);
  const outcome = await ended(socket, 60_000);
  clearInterval(writing);
  return outcome;
}

async function stall({ world }: Attack, head: string): Promise<string> {
  const socket = await dial(world.url);
  socket.resume();
  socket.write(`${head}{`);
  return ended(socket, 120_000);
}

async function ended(socket: Socket, ms: number): Promise<string> {
  await closedWithin(socket, ms);
  const outcome = socket.destroyed ? "cut" : "kept";
  socket.destroy();
  return outcome;
}
