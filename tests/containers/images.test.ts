import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { Context } from "../../scripts/release/artefact.ts";
import { downloadBase } from "../../scripts/release/container/base.ts";
import { images } from "../../scripts/release/container/images.ts";
import { type User, users } from "../../scripts/release/container/users.ts";
import { referenceOf, writeImages } from "../../scripts/release/container-images.ts";
import { hasDpkg } from "../../scripts/release/debian.ts";
import { Refusal } from "../../scripts/release/publishing.ts";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { isLong, testInLongForm } from "../start/long-form.ts";
import { readRootKey, startService } from "../start/process.ts";
import { sign } from "../start/sign.ts";
import type { Started } from "../start/started.ts";
import { type Container, chrootIn, type Runtime, runtimeIn, runtimeMissing } from "./runtime.ts";

// The short form builds the image of the signer, and the long form both and starts them with podman.

const root = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-images-"));
const commit = "0123456789abcdef0123456789abcdef01234567";
const context: Context = { root, version: "0.1.0", commit, epoch: 1_790_000_000 };
const built = images.filter(({ name }) => isLong || name === "keyhearth-signer");
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const missing = runtimeMissing() ?? (hasDpkg() ? baseMissing() : "dpkg-deb was not found");
if (missing !== null) console.log(`the images are not built: ${missing}`);

describe.runIf(missing === null)("the images of containers", () => {
  const paths: Record<string, string> = {};
  const loaded: Record<string, string> = {};
  let runtime: Runtime;

  beforeAll(async () => {
    chmodSync(temporary, 0o755);
    const written = await writeImages(built, join(temporary, "release"), context);
    runtime = isLong ? runtimeIn(temporary) : chrootIn(temporary);
    console.log(`the images are started with ${runtime.name}`);
    built.forEach(({ name }, i) => {
      paths[name] = written[i] ?? "";
      loaded[name] = runtime.load(paths[name], referenceOf(name, "0.1.0"));
    });
  }, 600_000);

  const start = (image: string, container: Omit<Container, "image"> = {}): Started => {
    const started = runtime.start({ image: loaded[image] ?? "", ...container });
    onTestFinished(() => started.stop());
    return started;
  };

  /** A folder that a new volume is like: it has the owner and mode of the directory in the image. */
  function volumeOf(name: string, user: User, mode: number) {
    const folder = join(temporary, name);
    mkdirSync(folder, { recursive: true });
    chownSync(folder, users[user], users[user]);
    chmodSync(folder, mode);
    return folder;
  }

  testInLongForm(
    "the same sources give the same bytes, in another folder",
    {
      timeout: 600_000,
    },
    async () => {
      const again = await writeImages(built, join(temporary, "again"), context);
      for (const [i, { name }] of built.entries()) {
        const same = readFileSync(again[i] ?? "").equals(readFileSync(paths[name] ?? ""));
        expect([name, same]).toEqual([name, true]);
      }
    },
  );

  test.each(built)("$name is an archive as the specification has it", (image) => {
    const { manifest, config, layers, described } = readArchive(paths[image.name] ?? "");
    expect(config.rootfs.diff_ids).toEqual(layers.map((layer) => digestOf(gunzipSync(layer))));
    expect(config.created).toBe("2026-09-21T14:13:20Z".replace("Z", ".000Z"));
    expect(described.annotations).toMatchObject({
      "org.opencontainers.image.ref.name": "0.1.0",
      "io.containerd.image.name": `localhost/${image.name}:0.1.0`,
    });
    expect(manifest.annotations).toEqual(config.config.Labels);
    expect(config.config.Labels).toMatchObject({
      "org.opencontainers.image.source": expect.stringMatching(/^https:\/\/[^#]+$/),
      "org.opencontainers.image.version": "0.1.0",
      "org.opencontainers.image.revision": commit,
      "org.opencontainers.image.licenses": "Apache-2.0",
    });
    const id = users[image.user];
    const { User, Entrypoint, Cmd, Volumes, ExposedPorts } = config.config;
    expect([User, Entrypoint, Cmd]).toEqual([
      `${id}:${id}`,
      ["/usr/bin/keyhearth"],
      [image.initial],
    ]);
    expect(Object.keys(Volumes)).toEqual(image.states.map((user) => `/var/lib/${user}`));
    expect(ExposedPorts).toEqual(image.port && { [`${image.port}/tcp`]: {} });
  });

  test.each(built)("$name has no shell, and what only root can change", (image) => {
    const entries = readArchive(paths[image.name] ?? "").layers.flatMap(listLayer);
    const programs = entries.filter(({ mode }) => mode.startsWith("-") && mode.includes("x"));
    expect(programs.map(({ path }) => path).toSorted()).toEqual([
      "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
      "usr/bin/keyhearth",
      "usr/bin/keyhearth-ready",
      `usr/lib/${image.name}/bin/node`,
    ]);
    const own = new Set([
      ...image.states.map((user) => `var/lib/${user}/`),
      ...image.sockets.map((user) => `run/${user}/`),
    ]);
    const ofOthers = entries.filter(({ owner }) => owner !== "0/0");
    expect(new Set(ofOthers.map(({ path }) => path))).toEqual(own);
    const changeable = entries.filter(
      ({ mode }) => /[st]|^.{5}w|^.{8}w/i.test(mode) && !mode.startsWith("l"),
    );
    expect(changeable).toEqual([{ path: "tmp/", mode: "drwxrwxrwt", owner: "0/0" }]);
    expect(
      entries.filter(({ path }) =>
        /\/(npm|corepack|man|gconv)\/|^usr\/lib\/[^/]+\/include\//.test(path),
      ),
    ).toEqual([]);
  });

  test("each image has less than 200 MB", () => {
    for (const { name } of built) {
      const { size } = statSync(paths[name] ?? "");
      console.log(`${name} has ${(size / 1e6).toFixed(1)} MB`);
      expect(size).toBeLessThan(200_000_000);
    }
  });

  test("the signer says in one sentence what is missing", async () => {
    const sentence = async (args: string[], volumes: Record<string, string> = {}) => {
      const started = start("keyhearth-signer", { args, volumes });
      return [await started.ended, started.output()];
    };
    expect(await sentence(["--version"])).toEqual([0, "0.1.0\n"]);
    expect(await sentence(["sh"])).toEqual([
      1,
      "keyhearth: `sh` is no command of this image, which has signer: the image keyhearth has the others\n",
    ]);
    const empty = volumeOf("empty", "keyhearth-signer", 0o700);
    expect(await sentence(["signer"], { "/var/lib/keyhearth-signer": empty })).toEqual([
      1,
      expect.stringMatching(
        /^keyhearth signer: the state directory \S+ is empty; .+ once with --create,.+\n$/,
      ),
    ]);
  });

  test.skipIf(isLong)(
    "the signer signs for an API that has only its socket",
    { timeout: 120_000 },
    async () => {
      const state = volumeOf("state", "keyhearth-signer", 0o700);
      const sockets = volumeOf("sockets", "keyhearth-signer", 0o750);
      const socket = "/run/keyhearth-signer/signer.sock";
      const signer = start("keyhearth-signer", {
        args: ["signer", "--socket", socket, "--create"],
        volumes: { "/var/lib/keyhearth-signer": state, "/run/keyhearth-signer": sockets },
      });
      await signer.waitFor(/"listening"/);
      expect(statSync(join(state, "root-key"))).toMatchObject({ uid: 10_002, gid: 10_002 });
      const data = await newDataDirectory("images");
      onTestFinished(() => rmSync(data, { recursive: true }));
      const service = await startService({
        KEYHEARTH_DATA_DIR: data,
        KEYHEARTH_SIGNER: `unix:${join(sockets, "signer.sock")}`,
      });
      onTestFinished(async () => void (await service.stop()));
      const { r } = await sign(service.url, readRootKey(data));
      expect(r).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test.runIf(isLong)(
    "three containers of three users sign, and the command line is there",
    {
      timeout: 300_000,
    },
    async () => {
      if (!findPostgres())
        throw new Error("no PostgreSQL was found: run apt-get install postgresql");
      const postgres = await startPostgres({ fsync: false });
      onTestFinished(() => postgres.stop());
      const volumes = (...names: User[]) =>
        Object.fromEntries([
          ...names.map((user) => [`/var/lib/${user}`, volumeOf(user, user, 0o700)]),
          ...names.map((user) => [`/run/${user}`, volumeOf(`run-${user}`, user, 0o750)]),
        ]);
      const socketOf = (user: User) => `/run/${user}/${user.replace("keyhearth-", "")}.sock`;
      const signer = start("keyhearth-signer", {
        args: ["signer", "--create", "--socket", socketOf("keyhearth-signer")],
        volumes: volumes("keyhearth-signer"),
      });
      const courier = start("keyhearth", {
        args: ["courier", "--socket", socketOf("keyhearth-courier")],
        user: `${users["keyhearth-courier"]}:${users["keyhearth-courier"]}`,
        volumes: volumes("keyhearth-courier"),
        environment: { SMS_WEBHOOK_URL: "http://127.0.0.1:9/sms" },
      });
      for (const each of [signer, courier]) await each.waitFor(/"listening"/);
      const data = volumeOf("keyhearth", "keyhearth", 0o700);
      const { "/run/keyhearth-signer": signers = "" } = volumes("keyhearth-signer");
      const { "/run/keyhearth-courier": couriers = "" } = volumes("keyhearth-courier");
      const api = start("keyhearth", {
        groups: [users["keyhearth-signer"], users["keyhearth-courier"]],
        volumes: {
          "/var/lib/keyhearth": data,
          "/run/keyhearth-signer": signers,
          "/run/keyhearth-courier": couriers,
        },
        environment: {
          HOST: "127.0.0.1",
          PORT: "0",
          DATABASE_URL: await createDatabase(postgres.url, "keyhearth"),
          KEYHEARTH_SIGNER: `unix:${socketOf("keyhearth-signer")}`,
          KEYHEARTH_COURIER: `unix:${socketOf("keyhearth-courier")}`,
        },
        hasNetwork: true,
      });
      await api.waitFor(/Stop it with/);
      const [, port] = /^ {2}Site +http:\/\/\S+:(\d+)$/m.exec(api.output()) ?? [];
      const url = `http://127.0.0.1:${port}`;
      expect((await fetch(`${url}/concepts/wallets`)).status).toBe(200);
      const { r } = await sign(url, readRootKey(data));
      expect(r).toMatch(/^[0-9a-f]{64}$/);

      const entrypoint = "/usr/bin/keyhearth-ready";
      const ready = start("keyhearth", { entrypoint, args: [`${url}/readyz`], hasNetwork: true });
      expect([await ready.ended, ready.output()]).toEqual([0, ""]);
      const gone = start("keyhearth", {
        entrypoint,
        args: ["unix:/tmp/signer.sock"],
      });
      expect([await gone.ended, gone.output()]).toEqual([
        1,
        expect.stringMatching(/^keyhearth-ready: unix:\S+ is not ready: .*ENOENT.*\n$/),
      ]);
      const help = start("keyhearth", { args: ["policy", "--help"] });
      expect([await help.ended, help.output()]).toEqual([
        0,
        expect.stringContaining("keyhearth policy"),
      ]);
    },
  );
});

/** The base is downloaded, which an outdated pin or a machine without a network prevents. */
function baseMissing(): string | null {
  try {
    downloadBase(root);
    return null;
  } catch (error) {
    if (isLong || !(error instanceof Refusal)) throw error;
    return error.message;
  }
}

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const Descriptor = z.strictObject({
  mediaType: z.string().regex(/^application\/vnd\.oci\.image\.[a-z0-9.+]+$/),
  digest: Digest,
  size: z.int().positive(),
  platform: z.strictObject({ architecture: z.literal("amd64"), os: z.literal("linux") }).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const Index = z.strictObject({
  schemaVersion: z.literal(2),
  mediaType: z.literal("application/vnd.oci.image.index.v1+json"),
  manifests: z.tuple([Descriptor]),
});
const Manifest = z.strictObject({
  schemaVersion: z.literal(2),
  mediaType: z.literal("application/vnd.oci.image.manifest.v1+json"),
  config: Descriptor,
  layers: z.array(Descriptor).min(1),
  annotations: z.record(z.string(), z.string()),
});
const Places = z.record(z.string().startsWith("/"), z.strictObject({}));
const Configuration = z.strictObject({
  created: z.iso.datetime(),
  architecture: z.literal("amd64"),
  os: z.literal("linux"),
  config: z.strictObject({
    User: z.string().regex(/^\d+:\d+$/),
    ExposedPorts: z.record(z.string().regex(/^\d+\/tcp$/), z.strictObject({})).optional(),
    Env: z.array(z.string().regex(/^[A-Z_]+=/)),
    Entrypoint: z.array(z.string()),
    Cmd: z.array(z.string()),
    Volumes: Places,
    WorkingDir: z.string().startsWith("/"),
    Labels: z.record(z.string(), z.string()),
    StopSignal: z.literal("SIGTERM"),
  }),
  rootfs: z.strictObject({ type: z.literal("layers"), diff_ids: z.array(Digest) }),
  history: z.array(z.strictObject({ created: z.iso.datetime(), created_by: z.string() })),
});

/** Reads an archive from its index down, and compares every file with the size and the digest that name it. */
function readArchive(path: string) {
  const read = (file: string) =>
    execFileSync("tar", ["-xOf", path, file], { maxBuffer: 1 << 28, stdio: "pipe" });
  const json = (bytes: Buffer) => JSON.parse(bytes.toString());
  const blob = ({ digest, size }: z.output<typeof Descriptor>) => {
    const bytes = read(`blobs/${digest.replace(":", "/")}`);
    expect([digestOf(bytes), bytes.length]).toEqual([digest, size]);
    return bytes;
  };
  expect(json(read("oci-layout"))).toEqual({ imageLayoutVersion: "1.0.0" });
  const [described] = Index.parse(json(read("index.json"))).manifests;
  const manifest = Manifest.parse(json(blob(described)));
  const config = Configuration.parse(json(blob(manifest.config)));
  expect(config.history.length).toBe(manifest.layers.length);
  const place = ({ digest }: { digest: string }) => `blobs/${digest.replace(":", "/")}`;
  expect(json(read("manifest.json"))).toEqual([
    {
      Config: place(manifest.config),
      RepoTags: [described.annotations?.["io.containerd.image.name"]],
      Layers: manifest.layers.map(place),
    },
  ]);
  return { described, manifest, config, layers: manifest.layers.map(blob) };
}

function listLayer(layer: Buffer) {
  const listed = execFileSync("tar", ["-tvzf", "-", "--numeric-owner"], {
    input: layer,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return listed
    .trim()
    .split("\n")
    .map((line) => {
      const [mode = "", owner = "", , , , path = ""] = line.split(/ +/);
      return { path, mode, owner };
    });
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
