import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SignerAddress } from "@keyhearth/api/config/signer-addresses";
import { connectToSigner } from "@keyhearth/api/signer/socket";
import { describeSigner } from "@keyhearth/api/start/open-signer";
import { lineOf, newDoorKey, readDoorKey } from "@keyhearth/outbound/door-key";
import { createDoor } from "@keyhearth/signer/door/door";
import { listenOnNetwork } from "@keyhearth/signer/door/network";
import { watchPairedApis } from "@keyhearth/signer/door/paired-apis";
import { openSigner, type Signer } from "@keyhearth/signer/signer";
import { addPeer } from "@keyhearth/signer/state/peers-file";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { newDataDirectory } from "./data-directory.ts";
import { runMain } from "./process.ts";
import { pair, startRemoteSigner } from "./remote-signer.ts";
import { startSilentProxy } from "./silent-proxy.ts";

// What a start says of signers on other machines.

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-signers-"));
/** Several of the tests' signers listen for one installation, whose state one process has at a time. */
const states = new Map<string, Signer>();
afterAll(() => {
  for (const signer of states.values()) signer.close();
  rmSync(temporary, { recursive: true, force: true });
});

const api = key();
const lost = key();

function key() {
  const made = readDoorKey(newDoorKey());
  if (!made) throw new Error("no key");
  return made;
}

const addressOf = (port: number, host = "127.0.0.1"): SignerAddress => ({
  kind: "tls",
  host,
  port,
  text: `tls://${host}:${port}`,
});

type Options = { isStandby?: () => boolean | undefined; isPaired?: boolean };

/** A real signer, which listens to the API. If it is one of several that share their marks, it says whether it decides. */
async function startSigner(
  name: string,
  { isStandby = () => undefined, isPaired = true }: Options = {},
) {
  const state = join(temporary, name);
  const signer =
    states.get(name) ?? openSigner({ stateDirectory: state, mayCreate: true, log: () => {} });
  states.set(name, signer);
  const peers = join(state, `peers-${Math.random()}`);
  if (isPaired) addPeer(peers, "api-1", lineOf("api", api.pin), new Date());
  const door = createDoor(
    (request) => {
      const answer = signer.handle(request);
      if (answer.kind !== "description" || isStandby() === undefined) return answer;
      return { ...answer, isStandby: isStandby() };
    },
    () => {},
  );
  const paired = watchPairedApis(peers, () => {});
  const own = key();
  const listening = await listenOnNetwork(
    { host: "127.0.0.1", port: 0 },
    { key: own, paired, door, log: () => {} },
  );
  const port = Number(listening.address.split(":")[1]);
  return { address: addressOf(port), pin: own.pin, close: listening.close };
}

type Running = Awaited<ReturnType<typeof startSigner>>;

/** What a start finds at these addresses, or the sentence with which it ends. */
async function startWith(addresses: SignerAddress[], signers: Running[], identity = api) {
  const events: Record<string, unknown>[] = [];
  const signer = connectToSigner({
    addresses,
    identity: { key: identity, pins: signers.map(({ pin }) => pin) },
    onEvent: (event) => void events.push(event),
  });
  onTestFinished(() => signer.close());
  const found = describeSigner({ askSigner: signer.call, signer }).then(
    ({ installationId }) => installationId,
    (error: Error) => error.message,
  );
  return { found: await found, events, signer };
}

async function opened(...signers: Promise<Running>[]): Promise<Running[]> {
  const all = await Promise.all(signers);
  onTestFinished(async () => {
    for (const each of all) await each.close();
  });
  return all;
}

test("of several signers, the first that decides is used, and a standby is not", async () => {
  const signers = await opened(startSigner("one", { isStandby: () => true }));
  const again = await opened(startSigner("one"));
  const all = [...signers, ...again];
  const { found, events } = await startWith(
    all.map(({ address }) => address),
    all,
  );
  expect(found).toMatch(/^[0-9a-f-]{36}$/);
  expect(events).toEqual([{ event: "signer connected", path: again[0]?.address.text }]);
});

test("signers of different installations are refused", async () => {
  const all = await opened(startSigner("one"), startSigner("two"));
  const { found } = await startWith(
    all.map(({ address }) => address),
    all,
  );
  expect(found).toMatch(
    /^the signers of KEYHEARTH_SIGNER are of different installations: the one at tls:\S+ of \S+, the one at tls:\S+ of \S+; name only signers of one installation$/,
  );
});

test("a signer that does not know the service, or has another key, ends the start although another one works", async () => {
  const all = await opened(startSigner("one"), startSigner("one", { isPaired: false }));
  const addresses = all.map(({ address }) => address);
  expect((await startWith(addresses, all)).found).toBe(
    `the signer at ${addresses[1]?.text} does not know this service; run \`npm run -s signer -- pair NAME ${lineOf("api", api.pin)}\` on its machine, with any name for this service`,
  );
  expect((await startWith(addresses, all.slice(0, 1))).found).toMatch(
    /^the signer at tls:\S+ proved the key keyhearth-signer:\S+, which KEYHEARTH_SIGNER_PINS does not list/,
  );
  expect((await startWith(addresses.slice(0, 1), all, lost)).found).toContain(
    "does not know this service",
  );
});

test("something else at the port ends the start with one sentence", async () => {
  const server = createServer((socket) => socket.end("220 mail.example.com ESMTP\r\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = addressOf((server.address() as AddressInfo).port);
  const { found } = await startWith([address], []);
  expect(found).toMatch(
    /^at tls:\S+ there is no signer: what listens there does not speak TLS 1.3 as a signer does \(\w+\); set KEYHEARTH_SIGNER to the address that the signer has in --listen$/,
  );
});

test("an unknown host and a machine that is off are named, and do not keep the service from a signer that works", async () => {
  const [signer] = await opened(startSigner("one"));
  if (!signer) throw new Error("no signer");
  const unknown = addressOf(7443, "signer.invalid");
  const off = addressOf(1);
  const { found, events } = await startWith([unknown, off, signer.address], [signer]);
  expect(found).toMatch(/^[0-9a-f-]{36}$/);
  expect(events).toEqual(
    expect.arrayContaining([
      {
        event: "signer not there",
        path: "tls://signer.invalid:7443",
        code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
      },
      { event: "signer not there", path: "tls://127.0.0.1:1", code: "ECONNREFUSED" },
      { event: "signer connected", path: signer.address.text },
    ]),
  );
  const { found: sentence } = await startWith([unknown, off], [signer]);
  expect(sentence).toMatch(
    /^no signer of KEYHEARTH_SIGNER works: tls:\/\/signer.invalid:7443 \(.+\), tls:\/\/127.0.0.1:1 \(nothing listens there\); start one first, and check the addresses and the firewalls between the machines$/,
  );
}, 60_000);

/** A service with a signer that it reaches through a proxy, and with another one. */
async function startBesideAnother(isStandby: () => boolean | undefined) {
  const [one, other] = await opened(startSigner("one"), startSigner("one", { isStandby }));
  if (!one || !other) throw new Error("no signers");
  const proxy = await startSilentProxy(one.address.kind === "tls" ? one.address.port : 0);
  onTestFinished(() => proxy.close());
  const { events } = await startWith([addressOf(proxy.port), other.address], [one, other]);
  expect(events.map(({ path }) => path)).toEqual([`tls://127.0.0.1:${proxy.port}`]);
  return { proxy, other, events };
}

test("a signer that says nothing is left for one that has taken over", async () => {
  let isStandby = true;
  const { proxy, other, events } = await startBesideAnother(() => isStandby);
  proxy.hang();
  const from = performance.now();
  setTimeout(() => {
    isStandby = false;
  }, 1500);
  await expect.poll(() => events.length, { interval: 20 }).toBe(3);
  expect(performance.now() - from).toBeLessThan(3500);
  expect(events.slice(1)).toEqual([
    { event: "signer disconnected", organizationId: undefined, silence: "hangs" },
    { event: "signer connected", path: other.address.text },
  ]);
});

test("a signer that may be busy is not left for one that does not share its marks", async () => {
  const { proxy, events } = await startBesideAnother(() => undefined);
  proxy.hang();
  await new Promise((resolve) => setTimeout(resolve, 3500));
  expect(events).toHaveLength(1);
});

test("while it runs, a service never goes on with a signer of another installation", async () => {
  const [one] = await opened(startSigner("one"));
  if (!one) throw new Error("no signer");
  const spare = createServer().listen(0, "127.0.0.1");
  await once(spare, "listening");
  const { port } = spare.address() as AddressInfo;
  await new Promise((resolve) => spare.close(resolve));
  const state = join(temporary, "three");
  const other = await startRemoteSigner(state, port);
  onTestFinished(async () => void (await other.kill()));
  await other.kill();
  await pair("--state", state, "api-1", lineOf("api", api.pin));
  const pins = [one.pin, Buffer.from(other.pin.split(":")[1] ?? "", "base64url")];
  const running = await startWith(
    [one.address, addressOf(port)],
    pins.map((pin) => ({ ...one, pin })),
  );
  expect(running.found).toMatch(/^[0-9a-f-]{36}$/);
  const again = await startRemoteSigner(state, port);
  onTestFinished(async () => void (await again.kill()));
  await one.close();
  await expect
    .poll(() => running.events.map(({ code }) => code), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/are of different installations/));
  await expect(running.signer.call({ call: "describe" })).rejects.toThrow("cannot be reached");
}, 60_000);

test("the process of a service that nobody paired ends with the command that pairs it", async () => {
  const data = await newDataDirectory("unpaired");
  onTestFinished(() => rmSync(data, { recursive: true }));
  const signer = await startRemoteSigner(join(temporary, "process"));
  onTestFinished(async () => void (await signer.kill()));
  const service = runMain({
    KEYHEARTH_DATA_DIR: data,
    KEYHEARTH_SIGNER: signer.address,
    KEYHEARTH_SIGNER_PINS: signer.pin,
  });
  expect(await service.ended).toBe(1);
  const line = await pair("--api", join(data, "signer-door-key"));
  expect(service.stderr()).toBe(
    `keyhearth: the signer at ${signer.address} does not know this service; run \`npm run -s signer -- pair NAME ${line}\` on its machine, with any name for this service\n`,
  );
}, 120_000);
