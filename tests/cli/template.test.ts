import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../postgres/start.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { type Process, run, until } from "../start/process.ts";
import { newPerson, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

// The apps that `init --template` makes, in empty folders, installed and started with the two commands that it prints.

let person: Person;

beforeAll(async () => {
  person = await newPerson();
});

type Made = { folder: string; address: string };

async function make(template: string): Promise<Made> {
  const folder = join(person.folder, template);
  const { app } = await person.json(["init", "--template", template, "--directory", folder]);
  expect(app).toMatchObject({ template, folder });
  return app;
}

/** `npm install`, which takes what it can from the cache. */
async function install({ folder }: Made) {
  const settings = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
  const env = { ...process.env, ...settings, npm_config_fund: "false" };
  await promisify(execFile)("npm", ["install"], { cwd: folder, env });
}

/** `npm run dev` at a free port, until it prints the address. */
async function dev({ folder }: Made, ready: RegExp, environment: Record<string, string>) {
  const shell = [
    "-e",
    `require("child_process").spawn("npm", ["run", "dev"], { stdio: "inherit" })`,
  ];
  const child = run(shell, environment, { folder });
  onTestFinished(async () => void (await stopAll(child)));
  await until(child, () => ready.test(child.stdout()));
  return ready.exec(child.stdout())?.[1] ?? "";
}

/** npm starts shells, and a signal for one of them does not always reach the server. */
async function stopAll(child: Process) {
  const { pid } = child.child;
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.flatMap(([own = 0, of]) => (of === parent ? [own, ...below(own)] : []));
  for (const each of below(pid ?? 0)) {
    try {
      process.kill(each, "SIGTERM");
    } catch {
      // It has ended meanwhile.
    }
  }
  await child.stop();
}

test("a server signs payouts by policy, with the two commands that init prints", async () => {
  const made = await make("server");
  expect(statSync(join(made.folder, ".env")).mode & 0o777).toBe(0o600);
  const { dependencies } = JSON.parse(readFileSync(join(made.folder, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies)) {
    expect(version, name).toMatch(/^(\d+\.\d+\.\d+|file:keyhearth-sdk\.tgz)$/);
  }
  expect(made.address).toBe("http://127.0.0.1:4000/payouts");
  await install(made);
  const url = await dev(made, /(http:\S+\/payouts)/, { PORT: "0" });
  const pay = (to: string) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ to, amount: "0.05" }),
    });
  expect((await pay("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")).status).toBe(201);
  expect((await pay("0x000000000000000000000000000000000000dEaD")).status).toBe(403);
}, 240_000);

test.runIf(isLong && hasBrowser)(
  "a wallet opens with a passkey, with the two commands that init prints",
  async () => {
    const made = await make("vite");
    await install(made);
    const url = await dev(made, /Open (http:\/\/localhost:\d+)/, { PORT: "0" });
    const context = await (await sharedBrowser()).newContext();
    try {
      const page = await context.newPage();
      await openAuthenticator(page);
      await page.goto(url);
      await page.getByLabel("Your name").fill("Ada");
      await page.getByRole("button", { name: "Create a wallet", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
    } finally {
      await context.close();
      await closePages();
    }
  },
  240_000,
);

test.runIf(isLong && hasBrowser)(
  "the app of Next.js signs people up, with the two commands that init prints",
  async () => {
    const made = await make("next");
    await install(made);
    const port = await freePort();
    // The address has the port that the app prints, so the test takes it as it is.
    const manifest = join(made.folder, "package.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll("-p 4200", `-p ${port}`));
    const url = await dev(made, /(http:\/\/localhost:\d+)/, { NEXT_TELEMETRY_DISABLED: "1" });
    const context = await (await sharedBrowser()).newContext();
    try {
      const page = await context.newPage();
      await openAuthenticator(page);
      // It compiles the page now.
      await page.goto(url, { timeout: 120_000 });
      await page.getByLabel("Name").fill("Ada");
      await page.getByRole("button", { name: "Sign up", exact: true }).click();
      await page.getByRole("heading", { name: "Hello, Ada" }).waitFor({ timeout: 120_000 });
    } finally {
      await context.close();
      await closePages();
    }
  },
  400_000,
);

test("an app gets the keys that the profile pinned, and not those that the service shows later", async () => {
  const { url, environment } = person.product;
  const wellKnown = await (await fetch(`${url}/.well-known/keyhearth.json`)).json();
  let shown: object | undefined;
  const host = await startProxy(url, (path) =>
    path === "/.well-known/keyhearth.json" ? shown : undefined,
  );
  const key = environment.KEYHEARTH_ROOT_KEY ?? "";
  await person.json(["profile", "add", "pinned", "--url", host.url, "--key", key]);
  const init = (template: string, folder: string, name = "pinned") => {
    const directory = join(person.folder, folder);
    return ["init", "--template", template, "--name", name, "--directory", directory];
  };
  const envOf = (folder: string) => readFileSync(join(person.folder, folder, ".env"), "utf8");
  for (const pinned of ["sessionPublicKey", "verificationPublicKey", "quorumPublicKey"]) {
    shown = { ...wellKnown, [pinned]: wellKnown[pinned].replace(/.{4}$/, "0000") };
    const refused = await person.run(init("vite", "of-the-host"));
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain("the service shows other keys than the profile pinned");
    expect(existsSync(join(person.folder, "of-the-host"))).toBe(false);
  }
  shown = undefined;
  await person.json(init("vite", "pinned-vite"));
  expect(envOf("pinned-vite")).toContain(
    `KEYHEARTH_SESSION_PUBLIC_KEY='${wellKnown.sessionPublicKey}'`,
  );
  expect(envOf("pinned-vite")).toContain(
    `KEYHEARTH_QUORUM_PUBLIC_KEY='${wellKnown.quorumPublicKey}'`,
  );
  await person.json(init("next", "pinned-next"));
  expect(envOf("pinned-next")).toContain(
    `NEXT_PUBLIC_QUORUM_PUBLIC_KEY='${wellKnown.quorumPublicKey}'`,
  );
  await person.json(init("server", "pinned-server"));
  expect(envOf("pinned-server")).toContain(`QUORUM_PUBLIC_KEY='${wellKnown.quorumPublicKey}'`);

  // A profile of an earlier release has no session key: then the app has the service's word, and the command says so.
  const path = join(person.folder, "keyhearth", "profiles", "pinned.json");
  const { sessionPublicKey: _, ...earlier } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(earlier), { mode: 0o600 });
  const { status, stdout } = await person.run(init("vite", "earlier"));
  expect(status).toBe(0);
  expect(stdout).toContain("the session key in .env is the service's word");
}, 120_000);

test("no file is replaced, and what is wrong is said before anything is written", async () => {
  const folder = join(person.folder, "mine");
  mkdirSync(folder);
  writeFileSync(join(folder, "server.ts"), "mine");
  const taken = await person.json(["init", "--template", "server", "--directory", folder], 2);
  expect(taken.error.message).toBe(
    `${join(folder, "server.ts")} is there already, and no file is replaced: name another folder with --directory`,
  );
  expect(readFileSync(join(folder, "server.ts"), "utf8")).toBe("mine");
  expect(existsSync(join(folder, "package.json"))).toBe(false);

  const unknown = await person.run(["init", "--template", "nuxt"]);
  expect(unknown).toMatchObject({
    status: 2,
    stderr: "keyhearth: --template must be next or vite or server, but is `nuxt`\n",
  });
  const lost = await person.run(["init", "--directory", "x"]);
  expect(lost.stderr).toContain("--directory is where an app goes: add --template");
});
