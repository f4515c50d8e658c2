import { execFileSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@keyhearth/api/config/config";
import { StartError } from "@keyhearth/api/config/start-error";
import { createHost, type Host } from "@keyhearth/api/host/host";
import { createLog } from "@keyhearth/api/observability/log";
import { createMetrics } from "@keyhearth/api/observability/metrics";
import { ensureRootOrganization } from "@keyhearth/api/start/first-start";
import { checkInstallation } from "@keyhearth/api/start/installation";
import { listen } from "@keyhearth/api/start/listener";
import { findInstallationId } from "@keyhearth/api/store/installation";
import { startTestServer, type TestServer } from "@keyhearth/api/testing";
import { openSigner } from "@keyhearth/signer/signer";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readRootKey, startService } from "../start/process.ts";
import { sentenceOf } from "../start/refused.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-starts-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

type Stalled = { answer: string; seconds: number };

// Begun first, because the service waits before it closes them. The other tests run in the meantime.
let stalled: Promise<Stalled[]>;
beforeAll(() => {
  stalled = stallEach();
  // Its test checks the outcome.
  stalled.catch(() => {});
});

let directories = 0;
function newDirectory(): string {
  directories += 1;
  return join(temporary, `data-${directories}`);
}

const stateFiles = ["root-api-key.json", "courier-key", "keyhearth.json", "signer/keyhearth.json"];

describe("a start", () => {
  // One installation, which each test leaves as it was.
  const dataDirectory = newDirectory();
  const environment = { KEYHEARTH_DATA_DIR: dataDirectory };
  beforeAll(async () => {
    await (await startService(environment)).stop();
  });

  test("does not found another root in place of a database that was lost", async () => {
    const keyFile = readFileSync(join(dataDirectory, "root-api-key.json"));
    const rootKey = readFileSync(join(dataDirectory, "signer", "root-key"));
    const database = join(dataDirectory, "pglite");
    const aside = join(temporary, "aside");

    renameSync(database, aside);
    expect(await sentenceOf(environment)).toMatch(
      /is empty, but the signer's state of installation [0-9a-f-]{36} has been in use; restore the database .+ or begin another installation with a new KEYHEARTH_DATA_DIR/,
    );
    expect(existsSync(database)).toBe(false);
    cpSync(aside, database, { recursive: true });
    rmSync(join(database, "PG_VERSION"));
    expect(await sentenceOf(environment)).toContain("its file PG_VERSION is missing; restore it");
    expect(existsSync(join(database, "PG_VERSION"))).toBe(false);
    expect(await sentenceOf({ ...environment, DATABASE_URL: "" })).toContain(
      "DATABASE_URL is set but empty",
    );
    rmSync(database, { recursive: true });
    renameSync(aside, database);

    const again = await startService(environment);
    expect(await again.stop()).toBe(0);
    expect(readFileSync(join(dataDirectory, "root-api-key.json"))).toEqual(keyFile);
    expect(readFileSync(join(dataDirectory, "signer", "root-key"))).toEqual(rootKey);
    expect(readdirSync(dataDirectory).filter((name) => name.startsWith("root-api-key"))).toEqual([
      "root-api-key.json",
    ]);
  });

  test("does not go on with the signer's state of another installation", async () => {
    const keyFile = readFileSync(join(dataDirectory, "root-api-key.json"));
    const state = join(dataDirectory, "signer");
    const aside = join(temporary, "signer-aside");
    renameSync(state, aside);
    openSigner({ stateDirectory: state, mayCreate: true, log: () => {} }).close();
    const other = readFileSync(join(state, "root-key"));
    expect(await sentenceOf(environment)).toMatch(
      /belongs to installation ([0-9a-f-]{36}), but the signer's state to installation (?!\1)[0-9a-f-]{36}; set KEYHEARTH_DATA_DIR to/,
    );
    expect(readFileSync(join(state, "root-key"))).toEqual(other);
    expect(readFileSync(join(dataDirectory, "root-api-key.json"))).toEqual(keyFile);
    rmSync(state, { recursive: true });
    renameSync(aside, state);
  });

  test("says in one sentence that the signer's state is damaged, while the database opens", async () => {
    const path = join(dataDirectory, "signer", "keyring");
    const keyring = readFileSync(path);
    writeFileSync(path, "damaged");
    expect(await sentenceOf(environment)).toContain(path);
    writeFileSync(path, keyring);
  });

  test.each(stateFiles)(
    "%s that is a FIFO, a huge file or another user's secret is one sentence",
    async (name) => {
      const path = join(dataDirectory, name);
      const aside = join(temporary, "aside");
      renameSync(path, aside);
      execFileSync("mkfifo", ["-m", "600", path]);
      expect(await sentenceOf(environment)).toContain(`${path} is not a file; restore`);
      rmSync(path);
      writeFileSync(path, "", { mode: 0o600 });
      truncateSync(path, 1900 * 1024 * 1024);
      expect(await sentenceOf(environment)).toContain(`${path} has more than 65536 bytes`);
      rmSync(path);
      renameSync(aside, path);
      const isSecret = !name.endsWith("keyhearth.json");
      if (!isSecret || process.getuid?.() !== 0) return;
      chownSync(path, 64_009, 64_009);
      expect(await sentenceOf(environment)).toContain(`${path} belongs to user 64009`);
      chownSync(path, 0, 0);
    },
  );

  test("says in one sentence that its data directory cannot be used", async () => {
    for (const dataDirectory of [
      "/proc/x",
      linkTo(join(temporary, "nowhere")),
      directoryWith("keyhearth.lock.1"),
      directoryWith("keyhearth.json"),
    ]) {
      expect(await sentenceOf({ KEYHEARTH_DATA_DIR: dataDirectory })).toContain(dataDirectory);
    }
  });
});

function linkTo(target: string): string {
  const path = newDirectory();
  symlinkSync(target, path);
  return path;
}

function directoryWith(name: string): string {
  const path = newDirectory();
  mkdirSync(join(path, name), { recursive: true });
  return path;
}

describe("database and signer", () => {
  let server: TestServer;
  let host: Host;
  beforeAll(async () => {
    server = await startTestServer();
  });
  beforeEach(async () => {
    await emptyDatabase();
    host = withNewSigner();
  });
  afterAll(() => server.stop());

  async function emptyDatabase() {
    for (const table of ["installation", "root_organization", "organizations"]) {
      await server.store.run("", `DELETE FROM ${table}`, []);
    }
  }

  const config = () => readConfig({ KEYHEARTH_DATA_DIR: newData() });
  function newData(): string {
    const path = newDirectory();
    mkdirSync(path);
    return path;
  }

  /** The database of all tests with a signer of its own. */
  function withNewSigner(): Host {
    const stateDirectory = newDirectory();
    const signer = openSigner({ stateDirectory, mayCreate: true, log: () => {} });
    const { store, log, metrics } = server.host;
    return createHost({
      store,
      log,
      metrics,
      signer: {
        call: async (request) => signer.handle(request),
        depth: () => 0,
        close: async () => signer.close(),
      },
    });
  }

  test("from before installations are bound once the signer knows the records as its own", async () => {
    const first = config();
    await checkInstallation(first, host);
    await ensureRootOrganization(first, host);
    const { db } = server.store;
    const id = await findInstallationId(db);
    await server.store.run("", "DELETE FROM installation", []);

    await expect(checkInstallation(first, withNewSigner())).rejects.toThrow(
      /were not made with the signer's state of installation/,
    );
    expect(await findInstallationId(db)).toBe(undefined);
    expect((await checkInstallation(first, host)).installationId).toBe(id);
    expect(await findInstallationId(db)).toBe(id);
    await expect(checkInstallation(first, withNewSigner())).rejects.toThrow(
      new RegExp(`belongs to installation ${id}, but the signer's state to installation`),
    );
  });

  test("of which the database is emptied found no second root", async () => {
    const first = config();
    await checkInstallation(first, host);
    await ensureRootOrganization(first, host);
    for (const table of ["installation", "root_organization", "organizations"]) {
      const rows = await server.store.run("", `SELECT * FROM ${table}`, []);
      expect(rows).toHaveLength(1);
    }
    await server.store.run("", "DELETE FROM root_organization", []);
    await expect(ensureRootOrganization(first, host)).rejects.toThrow(
      /has organizations, but its root organization is missing/,
    );
    await server.store.run("", "DELETE FROM organizations", []);
    await expect(checkInstallation(first, host)).rejects.toThrow(/has been in use/);
    await server.store.run("", "DELETE FROM installation", []);
    await expect(checkInstallation(first, host)).rejects.toThrow(/has been in use/);
    // Not even with new marks.
    expect((await checkInstallation(first, withNewSigner())).isNew).toBe(true);
  });

  test("go on after a first start that was killed before, during or after the commit", async () => {
    const first = config();
    const keyFile = join(first.dataDirectory, "root-api-key.json");
    const { commit } = host.committer;
    for (const killed of ["before", "before", "after"]) {
      await checkInstallation(first, host);
      host.committer.commit = async (unit) => {
        if (killed === "after") await commit(unit);
        throw new Error("killed");
      };
      await expect(ensureRootOrganization(first, host)).rejects.toThrow("killed");
      expect(existsSync(keyFile)).toBe(false);
    }
    host.committer.commit = commit;
    await checkInstallation(first, host);
    const { organizationId, isNew } = await ensureRootOrganization(first, host);
    expect(isNew).toBe(false);
    expect(readRootKey(first.dataDirectory).organizationId).toBe(organizationId);
    const before = readFileSync(keyFile);
    await ensureRootOrganization(first, host);
    expect(readFileSync(keyFile)).toEqual(before);
  });

  test("never replace a root API key, neither another organization's nor a damaged one", async () => {
    const first = config();
    const keyFile = join(first.dataDirectory, "root-api-key.json");
    await checkInstallation(first, host);
    const others = ['{"organizationId":"5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11"}\n', "{", ""];
    const expectRefused = async () => {
      for (const text of others) {
        writeFileSync(keyFile, text);
        await expect(ensureRootOrganization(first, host)).rejects.toThrow(StartError);
        expect(readFileSync(keyFile, "utf8")).toBe(text);
      }
      rmSync(keyFile);
    };
    await expectRefused();
    expect(await server.store.run("", "SELECT * FROM organizations", [])).toEqual([]);
    await ensureRootOrganization(first, host);
    await expectRefused();
  });

  test("do not write a root API key through a link that leads nowhere", async () => {
    const first = config();
    const target = join(temporary, "not-mounted.json");
    symlinkSync(target, join(first.dataDirectory, "root-api-key.json"));
    await checkInstallation(first, host);
    await expect(ensureRootOrganization(first, host)).rejects.toThrow(StartError);
    expect(existsSync(target)).toBe(false);
  });
});

test("a body that stalls, headers that never end, and silence are closed with 408 in bounded time", async () => {
  const [body, ...heads] = await stalled;
  expect(body?.answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(body?.seconds).toBeLessThan(45);
  expect(heads).toHaveLength(3);
  for (const { answer } of [body, ...heads].flatMap((each) => each ?? [])) {
    expect(answer).toContain("\r\nCache-Control: no-store\r\n");
    expect(answer).toContain('"message":"the request did not come in time');
  }
  for (const { answer, seconds } of heads) {
    expect(answer).toContain("HTTP/1.1 408 ");
    expect(seconds).toBeLessThan(30);
  }
});

/** What becomes of a body that stalls, of headers that never end, and of two silences. */
async function stallEach(): Promise<Stalled[]> {
  const watchers = {
    log: createLog({ level: "silent" }),
    metrics: createMetrics({ isWithProcess: false }),
  };
  const server = await listen(readConfig({ PORT: "0" }), watchers);
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    request.resume().on("end", () => response.end());
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const stall = (sent: string, isSilent = false) =>
    new Promise<Stalled>((resolve) => {
      const startedAt = performance.now();
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(sent));
      // Others send a byte a second.
      const drip = setInterval(() => isSilent || socket.write("x"), 1000);
      socket.on("data", (chunk) => {
        answer += chunk.toString();
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        clearInterval(drip);
        resolve({ answer, seconds: (performance.now() - startedAt) / 1000 });
      });
    });
  const head = "POST /public/v1/submit/create_wallet HTTP/1.1\r\nHost: test\r\n";
  const ended = await Promise.all([
    stall(`${head}Content-Length: 1000\r\n\r\n{`),
    stall(`${head}X-Endless: `),
    stall("", true),
    // Half of a second request, on a connection that is kept.
    stall(`GET / HTTP/1.1\r\nHost: test\r\n\r\n${head}`, true),
  ]);
  server.close();
  return ended;
}
