import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createFrameReader,
  decodeFrame,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { afterAll, afterEach, expect, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { newWallet, query, submit } from "../start/post.ts";
import {
  type Process,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../start/process.ts";
import { createTarget } from "./load.ts";

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-confirm-"));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

test("if the API is killed between a commit and its confirmation, the next process makes up for it", {
  timeout: 120_000,
}, async () => {
  const at = await start("api");
  const wallet = newWallet(at.root);
  at.between(() => void at.service.child.kill("SIGKILL"));
  await expect(submit(at.service, at.root, wallet)).rejects.toThrow();
  expect(await at.service.ended).toBe("SIGKILL");

  const next = await startService(at.environment);
  closing.push(next.stop);
  await expectOneWallet(next, at.root, wallet);
});

test("if the signer is killed between a commit and its confirmation, the API confirms to the next one", {
  timeout: 120_000,
}, async () => {
  const at = await start("signer");
  const wallet = newWallet(at.root);
  at.between(() => void at.signer.child.kill("SIGKILL"));
  const answer = await submit(at.service, at.root, wallet);
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");

  const next = await startSigner(at.state);
  closing.push(next.stop);
  await expect
    .poll(async () => (await fetch(`${at.service.url}/readyz`)).status, { timeout: 20_000 })
    .toBe(200);
  await expectOneWallet(at.service, at.root, wallet);
});

/** The same bytes are the activity that was committed, and the organization goes on working. */
async function expectOneWallet(
  service: Service,
  root: RootKey,
  wallet: ReturnType<typeof newWallet>,
) {
  // Readiness is kept for a second, so it may be of the time before.
  await expect
    .poll(async () => (await submit(service, root, wallet)).json, { timeout: 20_000 })
    .toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
  expect((await submit(service, root, newWallet(root))).status).toBe(200);
  await createTarget(service, root);
  const { json } = await query(service, root, "list_wallets");
  expect(json.wallets).toHaveLength(2);
}

type Started = {
  service: Service;
  signer: Process;
  state: string;
  root: RootKey;
  environment: Record<string, string>;
  /** What happens instead of the next confirmation. */
  between(what: () => void): void;
};

/** A service that reaches its signer through a socket of ours. */
async function start(name: string): Promise<Started> {
  const state = join(temporary, name, "signer");
  const data = await newDataDirectory(`confirm-${name}`);
  closing.push(() => rmSync(data, { recursive: true }));
  const signer = await startSigner(state);
  closing.push(signer.stop);
  let instead: (() => void) | null = null;
  const path = join(temporary, name, "between.sock");
  const server = listenBetween(path, signer.socket, (frame) => {
    const isConfirm = ({ message }: { message: Request }) => message.call === "confirm";
    const batch = decodeFrame<Request>(frame);
    if (!instead || !batch.some(isConfirm)) return frame;
    instead();
    instead = null;
    return encodeFrame(batch.filter((each) => !isConfirm(each)));
  });
  closing.push(() => server.close());
  const environment = {
    KEYHEARTH_DATA_DIR: data,
    KEYHEARTH_SIGNER: `unix:${path}`,
    KEYHEARTH_LOG_LEVEL: "fatal",
  };
  const service = await startService(environment);
  closing.push(service.stop);
  const root = readRootKey(data);
  return {
    service,
    signer,
    state,
    root,
    environment,
    between(what) {
      instead = what;
    },
  };
}

/** Hands on every frame to the signer, as `change` leaves it. */
function listenBetween(
  path: string,
  signer: string,
  change: (frame: Uint8Array) => Uint8Array,
): Server {
  const server = createServer((client) => {
    const upstream = createConnection(signer);
    const frames = createFrameReader((frame) => void upstream.write(change(frame)));
    client.on("data", frames);
    upstream.on("data", (chunk) => client.write(chunk));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => one.destroy());
      one.on("close", () => other.destroy());
    }
  });
  return server.listen(path);
}
