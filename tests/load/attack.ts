import { httpRequest, type Stamp, stamperOf } from "../../bench/requests.ts";
import type { Random } from "../fuzz/random.ts";
import type { Submission } from "../start/post.ts";
import type { RootKey } from "../start/process.ts";
import { closedWithin, dial, statusOf } from "./line.ts";
import type { World } from "./world.ts";

/** What an actor gets: what it knows, its choices, and where it notes what happened. */
export type Attack = {
  world: World;
  random: Random;
  /** Whether it has to end. */
  isOver(): boolean;
  /** Notes one answer, by its status, or another outcome. */
  note(outcome: number | string): void;
};

/** An actor sends until the attack is over. */
export type Actor = (attack: Attack) => Promise<unknown>;

/** Does something again and again. What goes wrong is noted, and followed by a pause. */
export async function repeat(
  attack: Attack,
  work: () => Promise<number | string>,
  pauseMs = 0,
): Promise<void> {
  while (!attack.isOver()) {
    const outcome = await work().catch(() => "lost");
    attack.note(outcome);
    // An attacker who is refused tries again soon, and a service that is down answers at once.
    const isRefused = outcome === 429 || outcome === "lost";
    await sleep(Math.max(pauseMs, isRefused ? 100 : 0));
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Sends one request on its own connection, and drops the answer as it comes. */
export async function exchange({ world }: Attack, request: Buffer): Promise<number> {
  const socket = await dial(world.url);
  try {
    socket.write(request);
    return await statusOf(socket);
  } finally {
    socket.destroy();
  }
}

/** Sends a request and reads none of the answer, for so long. */
export async function askAndWait({ world }: Attack, request: Buffer, ms: number) {
  const socket = await dial(world.url);
  socket.pause();
  socket.write(request);
  await closedWithin(socket, ms);
  socket.destroy();
  return "unread";
}

const stamps = new Map<string, Stamp>();

/** A key is parsed once. */
function stampOf(body: string, { apiPrivateKey }: RootKey): string {
  const stamp = stamps.get(apiPrivateKey) ?? stamperOf(apiPrivateKey);
  stamps.set(apiPrivateKey, stamp);
  return stamp(body);
}

export function queryOf(key: RootKey, from: string, name: string, parameters: object = {}): Buffer {
  const body = JSON.stringify({ organizationId: key.organizationId, ...parameters });
  return httpRequest(`/public/v1/query/${name}`, body, stampOf(body, key), from);
}

export function submissionOf(key: RootKey, from: string, { endpoint, body }: Submission): Buffer {
  return httpRequest(`/public/v1/submit/${endpoint}`, body, stampOf(body, key), from);
}

/** One of 254 addresses of a network, as a proxy names them. */
export function addressIn(network: `${number}.${number}.${number}`, { random }: Attack): string {
  return `${network}.${1 + random.below(254)}`;
}
