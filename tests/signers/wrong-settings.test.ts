import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkInstallation } from "@keyhearth/api/check/check";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { installationIdOf } from "@keyhearth/engine/vault/ids";
import { createKeyring, type Keyring } from "@keyhearth/engine/vault/keyring";
import { connectToEtcd, type Etcd, parseMarksVariable } from "@keyhearth/signer/replication/etcd";
import { createSeals } from "@keyhearth/signer/replication/groups";
import { afterAll as afterKeys, type Keys, keysOf } from "@keyhearth/signer/replication/term";
import { readRootKeyFile } from "@keyhearth/signer/root-key/file";
import { openSigner } from "@keyhearth/signer/signer";
import { readKeyringFile } from "@keyhearth/signer/state/keyring-file";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { flags } from "../../scripts/setup/allocation.mjs";
import { newDataDirectory } from "../start/data-directory.ts";
import { drawLine } from "../start/line.ts";
import { type Environment, mainOf, run, until } from "../start/process.ts";
import { sentenceOf } from "../start/refused.ts";
import { pair, pairedWith, type RemoteSigner, runRemoteSigner } from "../start/remote-signer.ts";
import { etcdMissing, findEtcd, startEtcd, type TestEtcd } from "./etcd.ts";

// What operators get wrong where several signers share their marks, and the sentence that each mistake gets: real signers,
// real members of etcd, and the service that uses them.

if (findEtcd() === null) console.log(`skipped: ${etcdMissing}`);

test.each([
  ["http://10.0.0.1:2379", "does not begin with etcd:"],
  ["etcd:10.0.0.1:2379", "has an endpoint that is not an http or https URL"],
  ["etcd:http://10.0.0.1:2379/v3", "has an endpoint with a path, a query or a fragment"],
  ["etcd:http://10.0.0.1:2379,https://10.0.0.2:2379", "has endpoints by http and by https"],
  ["etcd:http://a:2379,http://a:2379", "names an endpoint twice"],
  [
    "etcd:https://me:secret@a:2379,https://b:2379",
    "has endpoints with different names or passwords",
  ],
  [`etcd:${Array.from({ length: 10 }, (_, i) => `http://m${i}`)}`, "has more than 9 endpoints"],
])("%s is no list of endpoints, and no part of it is shown", (value, problem) => {
  const refused = () => parseMarksVariable(value);
  expect(refused).toThrow(`KEYHEARTH_MARKS ${problem}; it is local or the endpoints of an etcd`);
  expect(refused).not.toThrow(/secret/);
});

describe.runIf(findEtcd() !== null)("signers", { timeout: 120_000 }, () => {
  let folder: string;
  let etcd: TestEtcd;
  let count = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "keyhearth-wrong-"));
    etcd = await startEtcd();
  }, 60_000);
  afterAll(async () => {
    await etcd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The state of a new installation. */
  let state: string;
  let pin: string;
  beforeEach(async () => {
    state = newFolder();
    openSigner({ stateDirectory: state, mayCreate: true, log: () => {} }).close();
    pin = await pair("--state", state);
  });

  function newFolder(): string {
    count += 1;
    return join(folder, String(count));
  }

  function copyOf(from: string): string {
    const to = newFolder();
    cpSync(from, to, { recursive: true });
    return to;
  }

  const keyringOf = (from: string): Keyring =>
    readKeyringFile(join(from, "keyring"), readRootKeyFile(join(from, "root-key")));

  async function start(of: string, environment: Environment): Promise<RemoteSigner> {
    const signer = await runRemoteSigner(of, 0, environment);
    onTestFinished(async () => void (await signer.kill()));
    return { ...signer, pin };
  }

  const marks = (...urls: string[]): Environment => ({
    KEYHEARTH_MARKS: `etcd:${urls.join(",")}`,
    KEYHEARTH_SIGNER_NAME: "a",
  });

  async function activeWith(of: string, environment: Environment): Promise<RemoteSigner> {
    const signer = await start(of, environment);
    await until(signer, () => signer.stderr().includes('"event":"active"'));
    return signer;
  }

  /** The sentence with which a signer ends. */
  async function refusalWith(environment: Environment, of = state): Promise<string> {
    const listen = ["--socket", "none", "--listen", "127.0.0.1:0", "--issuers", "none"];
    const refused = run([...flags, mainOf("signer"), "--state", of, ...listen], environment);
    // One that goes on is stopped, and then fails the assertions.
    const timer = setTimeout(() => refused.child.kill("SIGKILL"), 30_000);
    const code = await refused.ended;
    clearTimeout(timer);
    const lines = refused.stderr().split("\n");
    const said = lines.filter((line) => line !== "" && !line.startsWith("{"));
    expect({ code, said }).toEqual({
      code: 1,
      said: [expect.stringMatching(/^keyhearth signer: /)],
    });
    return String(said[0]);
  }

  async function listening(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function newEtcd(options = {}): Promise<TestEtcd> {
    const started = await startEtcd(1, [], options);
    onTestFinished(() => started.stop());
    return started;
  }

  /** What is below the keys of an installation. */
  async function keysIn(
    { marks }: TestEtcd,
    of: string,
    work: (store: Etcd, keys: Keys) => Promise<unknown>,
  ) {
    const address = parseMarksVariable(marks);
    if (!address) throw new Error("no etcd");
    const store = connectToEtcd(address);
    const keys = keysOf(installationIdOf(keyringOf(of)));
    try {
      await work(store, keys);
      return await store.list(keys.prefix, afterKeys(keys.prefix), 10);
    } finally {
      store.close();
    }
  }

  test("with members of two clusters do not start, and write to none of them", async () => {
    const other = await newEtcd();
    const sentence = await refusalWith(marks(...etcd.urls, ...other.urls));
    expect(sentence).toMatch(
      /^keyhearth signer: 127\.0\.0\.1:\d+ is a member of the etcd cluster \d+, and 127\.0\.0\.1:\d+ of \d+; name only members of one cluster in KEYHEARTH_MARKS$/,
    );
    for (const each of [etcd, other]) {
      expect(await keysIn(each, state, async () => {})).toEqual([]);
    }
  });

  test("end when a member that was away turns out to be of another cluster, and write nothing there", async () => {
    const other = await newEtcd();
    const lines = await Promise.all([drawLine(...etcd.urls), drawLine(...other.urls)]);
    for (const line of lines) onTestFinished(() => line.close());
    const [own, strange] = lines;
    strange?.cut();
    const signer = await activeWith(state, marks(...lines.map(({ url }) => url)));
    expect(signer.lines()).toContainEqual(
      expect.objectContaining({ event: "etcd member not there", level: "error" }),
    );
    strange?.mend();
    own?.cut();
    expect(await signer.ended).toBe(1);
    expect(signer.stderr()).toContain("name only members of one cluster in KEYHEARTH_MARKS\n");
    expect(signer.stderr()).not.toContain("    at ");
    expect(await keysIn(other, state, async () => {})).toEqual([]);
  });

  test("say why an endpoint is not trusted, speaks no TLS, or does", async () => {
    const secure = await newEtcd({ isTls: true });
    const [url = ""] = secure.urls;
    expect(await refusalWith(marks(url))).toMatch(
      /^keyhearth signer: etcd at \S+ is not trusted, because its certificate is not from an authority that this machine trusts \(DEPTH_ZERO_SELF_SIGNED_CERT\); correct the endpoint in KEYHEARTH_MARKS or the certificate, or set NODE_EXTRA_CA_CERTS to the file of the authority$/,
    );
    expect(await refusalWith(marks(url.replace("https:", "http:")))).toMatch(
      /^keyhearth signer: etcd at \S+ speaks TLS, and KEYHEARTH_MARKS names it with http; write https there$/,
    );
    const [plain = ""] = etcd.urls;
    expect(await refusalWith(marks(plain.replace("http:", "https:")))).toMatch(
      /^keyhearth signer: what listens at \S+ does not speak TLS, and KEYHEARTH_MARKS names it with https; correct the address, or have etcd use TLS there$/,
    );
  });

  test("say that an endpoint is no etcd, or does not let them in", async () => {
    const site = await listening((_, response) => void response.writeHead(404).end("not found"));
    expect(await refusalWith(marks(site))).toMatch(
      /^keyhearth signer: at \S+ there is no etcd 3\.4 or later; correct the endpoint in KEYHEARTH_MARKS$/,
    );
    const guarded = await newEtcd();
    const [url = ""] = guarded.urls;
    const post = async (path: string, body: object) => {
      const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
      expect([path, answer.status]).toEqual([path, 200]);
    };
    await post("/v3/auth/user/add", { name: "root", password: "right" });
    await post("/v3/auth/role/add", { name: "root" });
    await post("/v3/auth/user/grant", { user: "root", role: "root" });
    await post("/v3/auth/enable", {});
    const withLogin = (login: string) => marks(url.replace("http://", `http://${login}`));
    const refused =
      /^keyhearth signer: etcd at \S+ does not let this signer in \(\d+\); correct the name and the password in KEYHEARTH_MARKS, and what etcd allows this user$/;
    for (const login of ["", "root:wrong@", "nobody:right@"]) {
      const sentence = await refusalWith(withLogin(login));
      expect(sentence).toMatch(refused);
      expect(sentence).not.toContain("wrong");
    }
    await activeWith(state, withLogin("root:right@"));
  });

  test("work with the endpoints that are right, and log what is wrong with the others", async () => {
    const site = await listening((_, response) => void response.writeHead(404).end());
    const signer = await activeWith(state, marks(site, ...etcd.urls, "http://etcd.invalid:2379"));
    const logged = (event: string) => signer.lines().filter((line) => line.event === event);
    expect(logged("etcd member refused")).toMatchObject([
      { level: "error", detail: expect.stringContaining("there is no etcd 3.4 or later") },
    ]);
    expect(logged("etcd member not there")).toMatchObject([
      {
        level: "error",
        detail: expect.stringMatching(/etcd at etcd\.invalid:2379 cannot be asked/),
      },
    ]);
  });

  test("refuse what a newer release has shared", async () => {
    const keyring = keyringOf(state);
    await keysIn(etcd, state, (store, { head }) => {
      const id = installationIdOf(keyring);
      const newer = createSeals(keyring, id, { form: 2, release: "99.0.0" });
      const content = { history: "h", sequence: 1, digest: "d" };
      return store.writeIf({}, [{ put: head, value: newer.seal("head", head, content) }]);
    });
    expect(await refusalWith(marks(...etcd.urls))).toMatch(
      /^keyhearth signer: the value of keyhearth\/\S+\/state\/head in etcd was written by Keyhearth 99\.0\.0, and this is \S+, which is older; upgrade this signer, so that all signers are of one release$/,
    );
  });

  test("refuse what a signer with another keyring has shared", async () => {
    const id = installationIdOf(keyringOf(state));
    await keysIn(etcd, state, (store, { head }) => {
      const seals = createSeals(createKeyring(randomBytes), id);
      const content = { history: "h", sequence: 1, digest: "d" };
      return store.writeIf({}, [{ put: head, value: seals.seal("head", head, content) }]);
    });
    expect(await refusalWith(marks(...etcd.urls))).toContain(
      "was not written there by a signer with this keyring; find out who writes to etcd, or use another cluster",
    );
  });

  test("without their marks do not begin with others, and say whose to copy", async () => {
    const copy = copyOf(state);
    await activeWith(state, marks(...etcd.urls));
    for (const file of ["marks", "marks-wal", "marks-shm"]) {
      rmSync(join(copy, file), { force: true });
    }
    const second = { ...marks(...etcd.urls), KEYHEARTH_SIGNER_NAME: "b" };
    const sentence = await refusalWith(second, copy);
    expect(sentence).toMatch(
      /^keyhearth signer: the marks \S+ are missing, and this signer shares them with others: stop one that works, and copy its state directory to this machine once more; if no signer has its marks, see `accept-restored-database` and `share-marks` in --help$/,
    );
  });

  test("of one name are refused, but not the one that was there first", async () => {
    const copy = copyOf(state);
    const first = await activeWith(state, marks(...etcd.urls));
    expect(await refusalWith(marks(...etcd.urls), copy)).toBe(
      "keyhearth signer: another signer named `a` has started with the same etcd; give each signer of an installation a name of its own with --name or KEYHEARTH_SIGNER_NAME",
    );
    await sleep(2000);
    expect(first.child.exitCode).toBe(null);
  });

  test("that share their marks do not decide alone", async () => {
    const signer = await activeWith(state, marks(...etcd.urls));
    await signer.stop();
    expect(await refusalWith({})).toContain(
      "this signer shares its marks with others in etcd, so it must not decide alone",
    );
  });

  /** What a service says of these signers at its start, which is what `doctor` says. */
  async function toldOf(states: string[], signers: RemoteSigner[]): Promise<string> {
    const data = await newDataDirectory("wrong");
    onTestFinished(() => rmSync(data, { recursive: true }));
    const settings = await pairedWith(data, states, signers);
    const sentence = await sentenceOf(settings);
    const found = await checkInstallation(settings);
    expect(found).toContainEqual({
      check: "signer",
      status: "error",
      message: sentence.slice("keyhearth: ".length, -1),
    });
    return sentence;
  }

  test("that decide with copies of one state are not used, although each would work", async () => {
    const copy = copyOf(state);
    const signers = [await start(state, {}), await start(copy, {})];
    const [one, other] = signers.map(({ address }) => address);
    expect(await toldOf([state, copy], signers)).toBe(
      `keyhearth: the signers at ${one} and at ${other} decide with copies of one state, and the one at ${one} shares no marks: each would accept what the other has already replaced; stop one of them, or set KEYHEARTH_MARKS of both to one etcd cluster\n`,
    );
    await signers[1]?.stop();
    await activeWith(copy, marks(...etcd.urls));
  });

  test("whose marks are in different clusters are not used, although each decides", async () => {
    const other = await newEtcd();
    const copy = copyOf(state);
    const signers = [
      await activeWith(state, marks(...etcd.urls)),
      await activeWith(copy, marks(...other.urls)),
    ];
    const [one, second] = signers.map(({ address }) => address);
    expect(await toldOf([state, copy], signers)).toBe(
      `keyhearth: the signers at ${one} and at ${second} share different marks, because their KEYHEARTH_MARKS lead to different etcd clusters; stop both, set the same cluster for both, and run \`share-marks\` on the machine of the one that decided last\n`,
    );
  });
});
