import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  encodeFrame,
} from "@keyhearth/engine/core/protocol";
import { afterEach, expect, test } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "keyhearth-descriptors-"));
const path = join(directory, "signer.sock");
let signer: ChildProcess | undefined;
const clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients) client.destroy();
  signer?.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

/** The real signer in a process that may open so many files and connections. */
function start(most: number) {
  const main = join(import.meta.dirname, "main.ts");
  const command = `ulimit -n ${most}; exec "${process.execPath}" "${main}" --state "${directory}" --create`;
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
  signer = child;
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const events = () =>
    said
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line): { event: string } => JSON.parse(line));
  return { events, named: (name: string) => events().filter(({ event }) => event === name) };
}

async function connect(): Promise<Socket> {
  const socket = createConnection(path);
  clients.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Asks who the signer is, over a connection that is open. */
async function describeOver(socket: Socket): Promise<Answer | undefined> {
  const answers: Answer[] = [];
  const read = createFrameReader((frame) => {
    for (const { message } of decodeFrame<Answer>(frame)) answers.push(message);
  });
  socket.on("data", read);
  socket.write(encodeFrame([{ id: 1, message: { call: "describe" } }]));
  await expect.poll(() => answers.length, { timeout: 5000 }).toBe(1);
  return answers[0];
}

test("a signer without file descriptors logs it once, counts it, and takes connections again", async () => {
  const { named } = start(64);
  await expect.poll(() => named("listening"), { timeout: 30_000 }).toHaveLength(1);
  const first = await connect();
  await Promise.all(Array.from({ length: 100 }, () => connect().catch(() => null)));
  await expect.poll(() => named("out of file descriptors"), { timeout: 5000 }).toHaveLength(1);
  // Those that it has are served, and it is said once.
  expect(await describeOver(first)).toMatchObject({ kind: "description", shortages: 1 });
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(named("out of file descriptors")).toHaveLength(1);

  for (const client of clients.splice(0)) client.destroy();
  const isOver = () => named("connections are accepted again");
  await expect.poll(isOver, { timeout: 5000 }).toEqual([expect.objectContaining({ shortages: 1 })]);
  expect(await describeOver(await connect())).toMatchObject({ shortages: 1 });
}, 60_000);
