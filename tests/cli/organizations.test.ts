import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
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
      path.endsWith("/get_receipts") ? "lost" : undefined,
    );
    const env = { KEYHEARTH_URL: proxy.url };
    const failed = await person.run(["organizations", "export", newFile()], { env });
    expect(failed.status).toBe(6);
    expect(readdirSync(person.folder)).toEqual(before);
    const missing = await person.run(["organizations", "export", "/nowhere/file.jsonl"]);
    expect(missing.stderr).toContain("cannot write /nowhere/file.jsonl (ENOENT)");
  });

  test("leaves nothing behind after Ctrl-C", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const folder = join(person.folder, "stopped");
    mkdirSync(folder);
    const child = spawn(
      process.execPath,
      [bin, "organizations", "export", join(folder, "x.jsonl")],
      { env: { ...person.env, KEYHEARTH_URL: `http://127.0.0.1:${port}` } },
    );
    const ended = once(child, "exit");
    await expect.poll(() => readdirSync(folder).length, { timeout: 30_000 }).toBe(1);
    child.kill("SIGINT");
    expect(await ended).toEqual([null, "SIGINT"]);
    expect(readdirSync(folder)).toEqual([]);
    silent.closeAllConnections();
    silent.close();
  });

  test("is one of any user who may read, and says that nothing was verified without a pinned key", async () => {
    const { profile } = await newUser(person, ownName("reader"));
    const file = newFile();
    const { stdout } = await person.run(["organizations", "export", file, ...profile]);
    expect(stdout).toContain("wrote 1 organization with ");
    expect((await verified(file)).report.valid).toBe(true);
  });
});

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
