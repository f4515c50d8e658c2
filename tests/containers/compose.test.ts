import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { variables } from "@keyhearth/api/config/variables";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { images } from "../../scripts/release/container/images.ts";
import { users } from "../../scripts/release/container/users.ts";
import { createDatabase, startPostgres } from "../postgres/start.ts";
import { readRootKey } from "../start/process.ts";
import { sign } from "../start/sign.ts";
import { type Confined, confinementMissing, imageOf, startConfined } from "./confined.ts";

// Reads deploy/compose.yaml, and starts what it says as the users it names, at the paths it names.

type Service = {
  image: string;
  user: string;
  group_add?: string[];
  command?: string[];
  environment: Record<string, string>;
  secrets?: string[];
  volumes: string[];
  networks?: string[];
  network_mode?: string;
  healthcheck: { test: string[] };
  [member: string]: unknown;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const website = join(root, "apps/website");
const page = readFileSync(join(website, "docs/self-hosting/docker-compose.mdx"), "utf8");
const given: Record<string, string> = Object.fromEntries(
  [
    ...readFileSync(join(website, "snippets/self-hosting/compose.env"), "utf8").matchAll(
      /^(\w+)="?([^"\n]+)"?$/gm,
    ),
  ].map(([, name, value]) => [name, value]),
);
const text = readFileSync(join(root, "deploy/compose.yaml"), "utf8");
const asked = new Set<string>();
const file = parse(
  text.replace(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => {
    asked.add(name);
    return given[name] ?? "";
  }),
  { merge: true },
);
const services: Record<string, Service> = file.services;
const ours = ["signer", "courier", "api"].map((name) => [name, services[name] as Service] as const);

test("the file is valid by the schema of Compose, and asks for what it cannot know", () => {
  const linter = fileURLToPath(import.meta.resolve("dclint/package.json"));
  const path = join(dirname(linter), "schemas/compose.schema.json");
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path, "utf8"));
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  expect([validate(file), validate.errors]).toEqual([true, null]);
  expect(validate({ services: { signer: { imagee: "x" } } })).toBe(false);
  expect(asked).toEqual(new Set(Object.keys(given)));
  expect(text).not.toMatch(/\$\{(?!\w+:\?set it to [^}]+, in the file \.env\})/);
});

test("each service has a user of its own and can write to its volumes alone", () => {
  const names = Object.keys(services);
  expect(new Set(names.map((name) => services[name]?.user)).size).toBe(names.length);
  for (const name of names) {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
      mem_limit: "1g",
      memswap_limit: "1g",
      pids_limit: 256,
    });
    expect(services[name]).not.toHaveProperty("privileged");
  }
  const states = names.map((name) => services[name]?.volumes[0]?.split(":")[0]);
  expect(new Set(states).size).toBe(names.length);
  for (const [name, { user, image, volumes }] of ours) {
    const { states, sockets } = imageOf(image);
    const own = name === "api" ? "keyhearth" : (`keyhearth-${name}` as const);
    expect(user).toBe(`${users[own as keyof typeof users]}:${users[own as keyof typeof users]}`);
    const known = [
      ...states.map((each) => `/var/lib/${each}`),
      ...sockets.map((each) => `/run/${each}`),
    ];
    for (const volume of volumes) expect(known).toContain(volume.split(":")[1]);
    expect(volumes[0]).toMatch(new RegExp(`:/var/lib/${own}$`));
  }
});

test("the signer has no network, and nobody but the API reaches the database", () => {
  expect(services.signer).toMatchObject({ network_mode: "none" });
  expect(services.signer).not.toHaveProperty("networks");
  const members = Object.entries(services).filter(([, { networks }]) =>
    networks?.includes("database"),
  );
  expect(members.map(([name]) => name)).toEqual(["api", "database"]);
  expect(file.networks.database).toEqual({ internal: true });
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
    ["api", ["127.0.0.1:3000:3000"]],
  ]);
  expect(services.api?.environment.KEYHEARTH_TRUSTED_PROXIES).toBe(
    file.networks.outside.ipam.config[0].gateway,
  );
});

test("every variable exists, and every secret is in a file of one service", () => {
  const names = new Set(variables.map(({ name }) => name));
  for (const [, { environment, secrets = [] }] of ours) {
    for (const [name, value] of Object.entries(environment)) {
      expect([name, names.has(name.replace(/_FILE$/, ""))]).toEqual([name, true]);
      if (name.endsWith("_FILE"))
        expect(secrets.map((each) => `/run/secrets/${each}`)).toContain(value);
    }
  }
  const used = Object.values(services).flatMap(({ secrets = [] }) => secrets);
  expect(used.toSorted()).toEqual(Object.keys(file.secrets).toSorted());
});

test("what the page runs is in the file", () => {
  const runs = [...page.matchAll(/^docker compose (.+)$/gm)].map(([, line = ""]) =>
    line.split(" "),
  );
  expect(runs.length).toBeGreaterThan(10);
  for (const [verb = "", ...rest] of runs) {
    expect(["cp", "down", "exec", "run", "start", "stop", "up"]).toContain(verb);
    if (["down", "up"].includes(verb)) continue;
    const [argument = "", ...args] = rest.filter((each) => !each.startsWith("--"));
    const [name = "", path] = argument.split(":");
    const service = services[name];
    expect([argument, service !== undefined]).toEqual([argument, true]);
    if (path) expect(path).toMatch(new RegExp(`^${service?.volumes[0]?.split(":")[1]}/[a-z.-]+$`));
    const [command] = verb === "exec" ? args.slice(args[0] === "keyhearth" ? 1 : 0) : args;
    const known = [
      ...Object.keys(name === "database" ? {} : imageOf(service?.image ?? "").commands),
      "policy",
      "pg_dump",
    ];
    if (["exec", "run"].includes(verb)) expect(known).toContain(command);
  }
  for (const { name } of images) {
    expect(page).toContain(`docker load --input ${name}-${given.KEYHEARTH_VERSION}-oci.tar\n`);
    expect(page).toContain(`| \`localhost/${name}\` |`);
  }
});

const missing = confinementMissing();
if (missing !== null) console.log(`the services of compose.yaml are not started: ${missing}`);

describe.runIf(missing === null)("the services of compose.yaml", () => {
  const machine = mkdtempSync("/tmp/keyhearth-compose-");
  chmodSync(machine, 0o755);
  afterAll(() => rmSync(machine, { recursive: true }));
  const script = join(website, "snippets/self-hosting/compose-secrets.sh");

  function makeSecrets(environment: Record<string, string>) {
    return spawnSync("sh", [script], {
      cwd: machine,
      env: { PATH: process.env.PATH, ...environment },
      encoding: "utf8",
    });
  }

  /** What the services share is one folder here, as a new volume has the owner that the image gives it. */
  function confine(name: string, changed: Record<string, string> = {}): Confined {
    const service = services[name] as Service;
    const [user = 0, group = 0] = service.user.split(":").map(Number);
    const mounts = service.volumes.map((volume) => {
      const [source = "", target = ""] = volume.split(":");
      return [target, volumeOf(source, target)] as const;
    });
    const secrets = (service.secrets ?? []).map((each) => {
      const { file: place } = file.secrets[each];
      return [`/run/secrets/${each}`, join(machine, place)] as const;
    });
    return {
      image: imageOf(service.image),
      args: service.command ?? [],
      user,
      group,
      groups: (service.group_add ?? []).map(Number),
      mounts: Object.fromEntries([...mounts, ...secrets]),
      environment: { ...service.environment, ...changed },
      hasNetwork: service.network_mode !== "none",
    };
  }

  function volumeOf(name: string, target: string): string {
    const folder = join(machine, name);
    const id = users[basename(target) as keyof typeof users];
    mkdirSync(folder, { recursive: true });
    chownSync(folder, id, id);
    chmodSync(folder, target.startsWith("/run/") ? 0o750 : 0o700);
    return folder;
  }

  test("say in one sentence what is missing, as the page lists it", {
    timeout: 120_000,
  }, async () => {
    const folder = (name: string, id: number) => {
      const path = join(machine, `wrong-${name}`);
      mkdirSync(path);
      chownSync(path, id, id);
      return path;
    };
    const [state, socket, secret] = [
      "/var/lib/keyhearth-signer",
      "/run/keyhearth-signer",
      "/run/secrets/smtp-url",
    ];
    const signer = confine("signer");
    const mine = users["keyhearth-signer"];
    const wrong: [string, Confined][] = [
      [
        "is on a file system that is mounted read-only",
        { ...signer, args: [...signer.args, "--create"], mounts: {} },
      ],
      ["the state directory /var/lib/keyhearth-signer is empty", signer],
      [
        "belongs to user 0",
        {
          ...signer,
          args: [...signer.args, "--create"],
          mounts: { ...signer.mounts, [state]: folder("state", 0) },
        },
      ],
      [
        "cannot listen on the socket",
        {
          ...signer,
          args: [...signer.args, "--create"],
          mounts: { [state]: folder("new", mine), [socket]: folder("socket", 0) },
        },
      ],
      [
        "which is a directory",
        {
          ...confine("courier"),
          mounts: { ...confine("courier").mounts, [secret]: folder("secret", 0) },
        },
      ],
    ];
    for (const [sentence, confined] of wrong) {
      expect(page).toContain(`| \`${sentence}\` |`);
      const started = startConfined(confined);
      expect(await started.ended).toBe(1);
      const said = started
        .output()
        .split("\n")
        .filter((line) => line.startsWith("keyhearth "));
      expect(said).toEqual([expect.stringContaining(sentence)]);
    }
  });

  test("sign, as three users that cannot read each other's secrets", {
    timeout: 180_000,
  }, async () => {
    const refused = makeSecrets({});
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        "SMTP_URL: set it to the address of your mail server, such as smtps://",
      ),
    ]);
    expect(makeSecrets({ SMTP_URL: "smtps://keyhearth:password@mail.example.com" }).status).toBe(0);
    const postgres = await startPostgres({ fsync: false });
    onTestFinished(() => postgres.stop());
    const url = join(machine, "secrets/database-url");
    expect(readFileSync(url, "utf8")).toMatch(
      /^postgres:\/\/keyhearth:[0-9a-f]{48}@database\/keyhearth\n$/,
    );
    await createDatabase(postgres.url, "keyhearth");
    const { host } = new URL(postgres.url);
    writeFileSync(url, readFileSync(url, "utf8").replace("@database/", `@${host}/`));

    const first = startConfined({ ...confine("signer"), args: ["signer", "--create"] });
    await first.waitFor(/"listening"/);
    await first.stop();
    const started = [startConfined(confine("signer")), startConfined(confine("courier"))];
    onTestFinished(async () => {
      for (const each of started) await each.stop();
    });
    for (const each of started) await each.waitFor(/"listening"/);
    const api = startConfined(confine("api", { HOST: "127.0.0.1", PORT: "0" }));
    started.unshift(api);
    await api.waitFor(/Stop it with/);
    expect(api.output()).not.toMatch(/"level":"?(warn|40)/);
    const [, port] = /^ {2}Site +\S+:(\d+)$/m.exec(api.output()) ?? [];
    expect(port).toBeDefined();
    const { r } = await sign(`http://127.0.0.1:${port}`, readRootKey(join(machine, "api-state")));
    expect(r).toMatch(/^[0-9a-f]{64}$/);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);

    const mayRead = (id: number, path: string) =>
      spawnSync("setpriv", [
        `--reuid=${id}`,
        `--regid=${id}`,
        "--clear-groups",
        "cat",
        join(machine, path),
      ]).status === 0;
    const secrets: Record<string, number> = {
      "signer-state/root-key": users["keyhearth-signer"],
      "courier-state/courier-key": users["keyhearth-courier"],
      "api-state/root-api-key.json": users.keyhearth,
    };
    for (const [path, owner] of Object.entries(secrets)) {
      for (const id of Object.values(users))
        expect([path, id, mayRead(id, path)]).toEqual([path, id, id === owner]);
    }
  });
});
