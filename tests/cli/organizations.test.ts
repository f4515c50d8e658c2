import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bin, newPerson, newUser, ownName, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

// The data of an organization as a file, and what a reader finds out about it without the service. A sub-organization
// of its own stands for the organization: the parent has what all tests have made.

let person: Person;
let organizationId: string;
let pinned: string[];

beforeAll(async () => {
  person = await newPerson();
  await person.json(["profile", "add", "pinned"]);
  pinned = ["--profile", "pinned"];
  const key = ownName("key").replace(" ", "-");
  await person.json(["generate", "api-key", key]);
  const name = ownName("acme");
  const made = ["sub-organizations", "create", name, "--public-key", key, "--account", "ethereum"];
  ({ subOrganizationId: organizationId } = await person.json(made));
  await person.json([
    ...["profile", "add", "acme", "--key", key, "--url", person.product.url],
    ...["--organization", organizationId],
  ]);
  const acme = ["--profile", "acme"];
  await person.json(["wallets", "create", "treasury", "--account", "ethereum", ...acme]);
  // What is gone keeps nobody from an export.
  for (const by of [acme, pinned]) {
    const spare = ["wallets", "create", ownName("spare"), "--account", "ethereum", ...by];
    const { walletId } = await person.json(spare);
    await person.json(["wallets", "delete", walletId, "--without-export", "--yes", ...by]);
  }
  await person.json(["private-keys", "create", "signing", "--account", "solana", ...acme]);
  const { addresses } = await person.json(["accounts", "list", ...acme]).then(({ accounts }) => ({
    addresses: accounts.map(({ address }: { address: string }) => address),
  }));
  await person.json(["sign", "message", "hello", "--with", addresses[0], ...acme]);
});

let files = 0;
const newFile = () => join(person.folder, `export-${++files}.jsonl`);
const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** An export in which the signer has stated all that happened. */
async function exported(...options: string[]): Promise<string> {
  for (;;) {
    const file = newFile();
    await person.json(["organizations", "export", file, "--profile", "acme", ...options]);
    const ended = await person.run(["organizations", "verify", file, ...pinned]);
    if (ended.status === 0) return file;
    expect(ended).toMatchObject({ status: 3, stdout: expect.stringContaining("not proven") });
  }
}

describe("an export", () => {
  test("has everything of the organization, no secret, and is for its owner alone", async () => {
    const file = await exported();
    const lines = linesOf(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines[0]).toMatchObject({
      kind: "export",
      organizationId,
      data: { version: "keyhearth.organization.v1", withSubOrganizations: false },
    });
    const of = (kind: string) => lines.filter((line) => line.kind === kind).map(({ data }) => data);
    expect(of("organization")).toMatchObject([{ organizationId, rootQuorum: { threshold: 1 } }]);
    expect(of("user")).toHaveLength(1);
    expect(of("wallet").map(({ walletName }) => walletName)).toContain("treasury");
    expect(of("wallet-account").length).toBeGreaterThanOrEqual(1);
    expect(of("private-key")).toMatchObject([{ privateKeyName: "signing" }]);
    const types = of("activity").map(({ type }) => type);
    expect(types[0]).toMatch(/^ACTIVITY_TYPE_SIGN_RAW_PAYLOAD/);
    expect(types.length).toBeGreaterThanOrEqual(3);
    expect(of("receipts").length).toBeGreaterThanOrEqual(2);
    expect(
      lines.every((line) => line.kind === "end" || line.organizationId === organizationId),
    ).toBe(true);
    expect(Object.keys(lines.at(-1).data)).toEqual(["lines", "sha256"]);
    const { report } = await verified(file);
    expect(report).toMatchObject({ valid: true, verdict: "valid", problems: [], organizations: 1 });
    expect(report).toMatchObject({ attestedStamps: 0, activitiesNotShown: 0, receiptsNotShown: 0 });
    expect(report.activities).toBe(types.length);
    expect(of("activity").some((activity) => "intent" in activity)).toBe(false);
    const { stdout } = await person.run(["organizations", "verify", file, ...pinned]);
    const [{ number, digest }] = report.lastSegments;
    expect(stdout).toContain(
      `last segment ${number} of organization ${organizationId}, digest ${digest}`,
    );
  });

  test("has the sub-organizations if they are asked for", async () => {
    const file = newFile();
    const all = ["organizations", "export", file, "--sub-organizations", ...pinned];
    const { organizations, isVerified } = await person.json(all);
    expect(organizations).toBeGreaterThanOrEqual(2);
    expect(isVerified).toBe(true);
    const ids = linesOf(file).flatMap((line) =>
      line.kind === "organization" ? line.organizationId : [],
    );
    expect(new Set(ids).size).toBe(organizations);
    expect(ids).toContain(organizationId);
    const ended = await person.run(["organizations", "verify", file, "--json", ...pinned]);
    const report = JSON.parse(ended.stdout);
    expect(report).toMatchObject({ organizations });
    // Other tests found organizations beside this one, and each waits for its first receipt.
    for (const { code, message } of report.problems) {
      expect(code).toBe("ORGANIZATION_WITHOUT_RECEIPTS");
      expect(message).not.toContain(organizationId);
    }
  });

  test("replaces no file, and leaves none behind if it fails", async () => {
    const taken = person.write("taken.jsonl", "mine");
    const again = await person.run(["organizations", "export", taken, ...pinned]);
    expect(again).toMatchObject({ status: 2, stdout: "" });
    expect(again.stderr).toContain("exists: give the name of a new file");
    expect(readFileSync(taken, "utf8")).toBe("mine");

    const before = readdirSync(person.folder);
    const proxy = await startProxy(person.product.url, (path) =>
      path.endsWith("/list_webhook_endpoints") ? "lost" : undefined,
    );
    const env = { KEYHEARTH_URL: proxy.url };
    const args = ["organizations", "export", newFile(), "--retry-seconds", "0"];
    const failed = await person.run(args, { env });
    expect(failed.status).toBe(6);
    expect(readdirSync(person.folder)).toEqual(before);
    const missing = await person.run(["organizations", "export", "/nowhere/file.jsonl"]);
    expect(missing.stderr).toContain("cannot write /nowhere/file.jsonl (ENOENT)");
  });

  test("leaves nothing behind after Ctrl-C if there is nothing yet, and otherwise what there is", async () => {
    for (const [silent, names] of [
      ["/get_organization", []],
      ["/get_receipts", ["x.jsonl.part"]],
    ] as const) {
      const proxy = await startCutter((path) => (path.endsWith(silent) ? "silent" : "passed"));
      const folder = join(person.folder, `stopped${silent.replace("/", "-")}`);
      mkdirSync(folder);
      const file = join(folder, "x.jsonl");
      const profile = ["--profile", await profileAt(proxy.url)];
      const child = spawn(process.execPath, [bin, "organizations", "export", file, ...profile], {
        env: { PATH: process.env.PATH, ...person.env },
      });
      const ended = once(child, "exit");
      await expect.poll(() => proxy.paths.at(-1), { timeout: 30_000 }).toContain(silent);
      child.kill("SIGINT");
      expect(await ended).toEqual([null, "SIGINT"]);
      expect(readdirSync(folder)).toEqual(names);
      if (names.length > 0) await expectWhole(file);
    }
  });

  test("is one of any user who may read, and says that nothing was verified without a pinned key", async () => {
    const { profile } = await newUser(person, ownName("reader"));
    const file = newFile();
    const { stdout } = await person.run(["organizations", "export", file, ...profile]);
    expect(stdout).toContain("wrote 1 organization with ");
    expect((await verified(file)).report.valid).toBe(true);
  });
});

type Fate = "passed" | "cut" | "silent";

/** A line to the service that is cut in the middle of answers, or on which they never come. */
async function startCutter(fateOf: (path: string) => Fate) {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = "", method = "GET", headers } = request;
    paths.push(path);
    const body = await buffer(request);
    const fate = fateOf(path);
    if (fate === "silent") return;
    const { host: _, connection: _1, "content-length": _2, ...others } = headers;
    const answer = await fetch(person.product.url + path, {
      method,
      headers: others as Record<string, string>,
      ...(method === "POST" && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get("content-type") ?? "text/plain";
    response.writeHead(answer.status, { "content-type": type, "content-length": bytes.length });
    if (fate === "passed") return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

/** The profile of the organization, whose service is at this address. */
async function profileAt(url: string, of = "acme"): Promise<string> {
  const folder = join(person.folder, "keyhearth/profiles");
  const name = ownName("line").replace(" ", "-");
  const profile = JSON.parse(readFileSync(join(folder, `${of}.json`), "utf8"));
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...profile, url }), { mode: 0o600 });
  return name;
}

/** Goes on with what is there, and compares the file with one that was never cut. */
async function expectWhole(file: string) {
  await person.json(["organizations", "export", file, "--profile", "acme"]);
  expect(existsSync(`${file}.part`)).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const [first, ...others] = linesOf(file);
  const [, ...expected] = linesOf(await exported());
  expect(first).toMatchObject({ kind: "export", organizationId });
  expect(others.slice(0, -1)).toEqual(expected.slice(0, -1));
  expect((await verified(file)).report).toMatchObject({ verdict: "valid", problems: [] });
}

describe("an export that was cut", () => {
  test("at any of its requests goes on from there, and is what an uncut one is", async () => {
    await exported();
    for (let at = 1; ; at++) {
      let asked = 0;
      // Then nobody answers at all.
      const proxy = await startCutter(() => (++asked < at ? "passed" : "cut"));
      const file = newFile();
      const args = ["organizations", "export", file, "--profile", await profileAt(proxy.url)];
      const ended = await person.run([...args, "--retry-seconds", "0"]);
      if (ended.status === 0) {
        expect(at).toBeGreaterThan(7);
        return;
      }
      expect([at, ended.status, existsSync(file)]).toEqual([at, 6, false]);
      const isKept = existsSync(`${file}.part`);
      // The records of an organization are there together.
      expect([at, isKept]).toEqual([at, at > 5]);
      expect(ended.stderr.includes("run the same command to go on from there")).toBe(isKept);
      if (isKept) {
        const part = await person.run(["organizations", "verify", `${file}.part`, ...pinned]);
        expect(part.status).not.toBe(0);
      }
      await expectWhole(file);
    }
  });

  test("between or in sub-organizations has each of them once in the end", async () => {
    const file = newFile();
    const args = ["organizations", "export", file, "--sub-organizations", "--retry-seconds", "0"];
    for (let at = 1; ; at++) {
      const cutAt = ["/list_wallet_accounts", "/get_receipts"][at % 2] ?? "";
      let asked = 0;
      // The next run gets further by one organization.
      const proxy = await startCutter((path) =>
        path.endsWith(cutAt) && ++asked > at ? "cut" : "passed",
      );
      const ended = await person.run([...args, "--profile", await profileAt(proxy.url, "pinned")]);
      if (ended.status === 0) break;
      expect([ended.status, existsSync(file)]).toEqual([6, false]);
    }
    const lines = linesOf(file);
    const ids = lines.flatMap(({ kind, organizationId: id }) =>
      kind === "organization" ? [id] : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
    const all = newFile();
    await person.json(["organizations", "export", all, "--sub-organizations", ...pinned]);
    const ofAll = linesOf(all).flatMap(({ kind, organizationId: id }) =>
      kind === "organization" ? [id] : [],
    );
    // Other tests found more of them meanwhile.
    expect(ofAll).toEqual(expect.arrayContaining(ids));
    expect(ids).toContain(organizationId);
    const report = JSON.parse(
      (await person.run(["organizations", "verify", file, "--json", ...pinned])).stdout,
    );
    expect(report).toMatchObject({ organizations: ids.length });
    expect(report.problems.filter((each: { code: string }) => !/WITHOUT/.test(each.code))).toEqual(
      [],
    );
  });

  test("goes on by itself if the service is back in time, and asks for nothing twice", async () => {
    let cuts = 2;
    const isCut = (path: string) => path.endsWith("/list_activities") && cuts-- > 0;
    const proxy = await startCutter((path) => (isCut(path) ? "cut" : "passed"));
    const file = newFile();
    const args = ["organizations", "export", file, "--profile", await profileAt(proxy.url)];
    // Before the client itself sends it again.
    const ended = await person.run(args);
    expect(ended).toMatchObject({ status: 0 });
    const once = ["/get_organization", "/list_wallet_accounts", "/list_webhook_endpoints"];
    for (const path of once)
      expect(proxy.paths.filter((each) => each.endsWith(path))).toHaveLength(1);
    await verified(file);
  });

  test("says that it waits, and for how long", async () => {
    let cuts = 8;
    const isCut = (path: string) => path.endsWith("/get_receipts") && cuts-- > 0;
    const proxy = await startCutter((path) => (isCut(path) ? "cut" : "passed"));
    const file = newFile();
    const args = ["organizations", "export", file, "--profile", await profileAt(proxy.url)];
    const ended = await person.run([...args, "--retry-seconds", "60"]);
    expect(ended).toMatchObject({ status: 0 });
    expect(ended.stderr).toBe(
      "keyhearth: the service does not answer (NETWORK); trying again for up to 60 s\n",
    );
    await verified(file);
  });

  test("at any byte is never a file that looks whole, and goes on", async () => {
    const whole = readFileSync(await exported());
    const steps = 40;
    for (let step = 1; step <= steps; step++) {
      const file = newFile();
      const bytes = Math.floor((step * whole.length) / steps) - (step % 3);
      writeFileSync(`${file}.part`, whole.subarray(0, bytes), { mode: 0o600 });
      await expectWhole(file);
    }
  });

  test("is refused for another organization, other options, or with lines that it did not have", async () => {
    const whole = readFileSync(await exported(), "utf8").split("\n");
    const part = (lines: readonly string[]) => {
      const file = newFile();
      writeFileSync(`${file}.part`, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
      return file;
    };
    const refusal = async (file: string, args: readonly string[]) => {
      const before = readFileSync(`${file}.part`, "utf8");
      const ended = await person.run(["organizations", "export", file, ...args]);
      expect([ended.status, existsSync(file)]).toEqual([2, false]);
      expect(readFileSync(`${file}.part`, "utf8")).toBe(before);
      return ended.stderr;
    };
    const acme = ["--profile", "acme"];
    const some = whole.slice(0, -3);
    expect(await refusal(part(some), pinned)).toContain(
      `is a part of an export of organization ${organizationId}: finish that one first, or remove the file`,
    );
    expect(await refusal(part(some), [...acme, "--sub-organizations"])).toContain(
      "is a part of an export without --sub-organizations: finish that one first",
    );
    const strange = some.with(2, JSON.stringify({ kind: "user", organizationId: "x", data: {} }));
    expect(await refusal(part(strange), acme)).toContain("line 3 of");
    expect(await refusal(part(["not JSON", ...some]), acme)).toContain("line 1 of");
    const open = part(some);
    chmodSync(`${open}.part`, 0o644);
    expect(await refusal(open, acme)).toContain("is not a file that only this user can write");
  });

  test("with receipts that the signer did not make is begun again", async () => {
    const whole = readFileSync(await exported(), "utf8").split("\n");
    const at = whole.findIndex((line) => line.includes('"kind":"receipts"'));
    const line = JSON.parse(whole[at] ?? "");
    line.data.receiptsFile.segments[0].root = "00".repeat(32);
    const file = newFile();
    const lines = [...whole.slice(0, at), JSON.stringify(line)];
    writeFileSync(`${file}.part`, lines.map((each) => `${each}\n`).join(""), { mode: 0o600 });
    const profile = await profileWithKeys();
    const args = ["organizations", "export", file, "--profile", profile];
    const refused = await person.run(args);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("Nothing was written");
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
    await expectWhole(file);
  });
});

/** The profile of the organization, with the keys that the other one has pinned. */
async function profileWithKeys(): Promise<string> {
  const folder = join(person.folder, "keyhearth/profiles");
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const { signerPublicKey, quorumPublicKey } = read("pinned");
  const name = ownName("keys").replace(" ", "-");
  const profile = { ...read("acme"), signerPublicKey, quorumPublicKey };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(profile), { mode: 0o600 });
  return name;
}

async function verified(file: string, status = 0) {
  const report = await person.json(["organizations", "verify", file, ...pinned], status);
  return { report };
}

describe("a changed export is not valid:", () => {
  let lines: string[];
  beforeAll(async () => {
    lines = readFileSync(await exported(), "utf8")
      .split("\n")
      .slice(0, -1);
  });

  type Change = (each: { kind: string; data: Record<string, unknown> }) => unknown;

  /** The file with a line changed, and an end that counts it. */
  function withChange(kind: string, change: Change): string {
    const at = lines.findIndex((line) => JSON.parse(line).kind === kind);
    const value = JSON.parse(lines[at] ?? "");
    const changed = lines.with(at, JSON.stringify(change(value) ?? value)).slice(0, -1);
    return written(ended(changed));
  }

  function ended(changed: readonly string[]): string[] {
    const text = changed.map((line) => `${line}\n`).join("");
    const sha256 = createHash("sha256").update(text).digest("hex");
    return [...changed, JSON.stringify({ kind: "end", data: { lines: changed.length, sha256 } })];
  }

  function written(all: readonly string[]): string {
    const file = newFile();
    writeFileSync(file, all.map((line) => `${line}\n`).join(""));
    return file;
  }

  const codesOf = async (file: string) => {
    const { report } = await verified(file, 1);
    return report.problems.map(({ code }: { code: string }) => code);
  };

  test("an activity whose request is another one", async () => {
    const file = withChange("activity", ({ data }) => {
      const [vote] = data.votes as { message: string }[];
      if (vote) vote.message = vote.message.replace(/\d(?=\d*"\s*,)/, "0");
    });
    expect(await codesOf(file)).toEqual(["REQUEST_CHANGED"]);
  });

  test("an activity whose stamp is of another request", async () => {
    const file = withChange("activity", ({ data }) => {
      const [vote] = data.votes as { signature: string }[];
      const stamps = lines
        .map((line) => JSON.parse(line))
        .flatMap((line) => (line.kind === "activity" ? line.data.votes[0].signature : []));
      if (vote) vote.signature = stamps[1];
    });
    expect(await codesOf(file)).toEqual(["STAMP_INVALID"]);
  });

  test("an activity that has another status", async () => {
    const file = withChange("activity", ({ data }) => {
      data.status = "ACTIVITY_STATUS_REJECTED";
    });
    expect(await codesOf(file)).toEqual(["STATUS_CHANGED"]);
  });

  test("an activity that never was", async () => {
    const file = withChange("activity", ({ data }) => {
      data.id = `${data.id}`.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
      for (const vote of data.votes as { activityId: unknown }[]) vote.activityId = data.id;
    });
    expect(await codesOf(file)).toEqual(["RECEIPT_MISSING"]);
  });

  test("an activity that appears twice", async () => {
    const one = lines.find((line) => JSON.parse(line).kind === "activity") ?? "";
    const at = lines.indexOf(one);
    const twice = ended([...lines.slice(0, at), one, ...lines.slice(at, -1)]);
    expect(await codesOf(written(twice))).toEqual(["ACTIVITY_REPEATED"]);
  });

  test("a statement that the signer did not make", async () => {
    const file = withChange("receipts", ({ data }) => {
      const { receipts } = data.receiptsFile as { receipts: { statement?: string }[] };
      const receipt = receipts.find(({ statement }) => statement);
      if (receipt) receipt.statement = receipt.statement?.replace("COMPLETED", "REJECTED");
    });
    expect(await codesOf(file)).toContain("RECEIPT_PATH_INVALID");
  });

  test("pages of receipts that lack the first one", async () => {
    const at = lines.findIndex((line) => JSON.parse(line).kind === "receipts");
    const left = ended(lines.toSpliced(at, 1).slice(0, -1));
    expect(await codesOf(written(left))).toContain("RECEIPT_MISSING");
  });

  test("a file that was cut off, or of which a line was changed alone", async () => {
    expect(await codesOf(written(lines.slice(0, -1)))).toEqual(["FILE_CUT"]);
    expect(await codesOf(written([...lines.slice(0, -2), lines.at(-1) ?? ""]))).toContain(
      "FILE_CHANGED",
    );
    const user = lines.findIndex((line) => JSON.parse(line).kind === "user");
    const renamed = lines.with(user, (lines[user] ?? "").replace(/"userName":"/, '"userName":"x'));
    expect(await codesOf(written(renamed))).toEqual(["FILE_CHANGED"]);
    const after = [...lines, lines[1] ?? ""];
    expect(await codesOf(written(after))).toContain("LINE_AFTER_END");
  });

  test("a file of another form, or by another key", async () => {
    const other = withChange("export", ({ data }) => {
      data.version = "keyhearth.organization.v2";
    });
    expect(await codesOf(other)).toEqual(["VERSION_UNKNOWN"]);
    const unknown = withChange("user", (line) => ({ ...line, kind: "person" }));
    expect(await codesOf(unknown)).toEqual(["LINE_MALFORMED"]);
    const file = written(lines);
    const { product } = person;
    const keys = await (await fetch(`${product.url}/.well-known/keyhearth.json`)).json();
    const own = String(keys.quorumPublicKey);
    const swapped = `${own.slice(130)}${own.slice(0, 130)}`;
    const wrong = await person.json(
      ["organizations", "verify", file, "--quorum-public-key", swapped],
      1,
    );
    expect(wrong.problems[0].code).toBe("RECEIPT_KEY_NOT_CERTIFIED");
  });

  test("a file that has no JSON is a mistake of the command line", async () => {
    const text = await person.run(["organizations", "verify", person.write("x", "{\n"), ...pinned]);
    expect(text).toMatchObject({ status: 2, stdout: "" });
    expect(text.stderr).toContain("line 1 of");
    const none = await person.run(["organizations", "verify", "/none.jsonl", ...pinned]);
    expect(none.stderr).toContain("cannot read /none.jsonl (ENOENT)");
    const empty = await person.json(
      ["organizations", "verify", person.write("empty", ""), ...pinned],
      1,
    );
    expect(empty.problems).toMatchObject([{ code: "FILE_CUT" }]);
  });
});
