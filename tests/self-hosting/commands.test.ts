import { execFile } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readConfig } from "@keyhearth/api/config/config";
import { lineOf, newDoorKey, readDoorKey } from "@keyhearth/outbound/door-key";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findEtcd, startEtcd } from "../signers/etcd.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { clientOf, mainOf, readRootKey, startService } from "../start/process.ts";

// Runs the commands of the pages as an installation has them, with the programs that are checked out.

const docs = fileURLToPath(new URL("../../apps/website/docs/", import.meta.url));
const pages = globSync("{*,*/**/*}.mdx", { cwd: docs }).toSorted();
let data: string;
beforeAll(async () => {
  data = await newDataDirectory("commands");
});
afterAll(() => rmSync(data, { recursive: true }));

/** The lines of all blocks for a shell. */
const lines = pages.flatMap((page) => {
  const blocks = readFileSync(join(docs, page), "utf8").matchAll(
    /^ *```bash[^\n]*\n(.*?)^ *```$/gms,
  );
  return [...blocks].flatMap(([, block = ""]) => block.split("\n").map((line) => line.trim()));
});

test("only what is about a clone names the commands of a clone", () => {
  const found = pages.flatMap((page) => {
    const paragraphs = readFileSync(join(docs, page), "utf8").split(/\n\n|\n(?=[-|])/);
    return (
      paragraphs
        .filter((text) =>
          /\bnpm (start\b(?! --prefix)|run (-s )?(signer|courier|feedback)\b)/.test(text),
        )
        // The sample app has a start of its own.
        .filter((text) => !/\bclone\b|service manager|^cd passkey-wallet$/im.test(text))
        .map((text) => [page, text])
    );
  });
  expect(found).toEqual([]);
});

/** The settings of each `NAME=value … npx --no keyhearth start`. */
const starts = lines.flatMap((line) => {
  const [, given] = /^((?:[A-Z_]+=(?:"[^"]*"|\S)+ )+)npx --no keyhearth start$/.exec(line) ?? [];
  if (given === undefined) return [];
  const settings = [...given.matchAll(/([A-Z_]+)=(?:"([^"]*)"|(\S+)) /g)];
  return [
    Object.fromEntries(
      settings.map(([, name = "", quoted, plain]) => [name, quoted ?? plain ?? ""]),
    ),
  ];
});

test("a start takes the settings that the pages give it, one by one and together", async () => {
  expect(starts.length).toBeGreaterThan(8);
  for (const settings of starts) {
    const { DATABASE_URL_FILE: file, ...others } = settings;
    const path = `${data}-url`;
    onTestFinished(() => rmSync(path, { force: true }));
    writeFileSync(path, "postgres://keyhearth@127.0.0.1/keyhearth\n");
    expect(() => readConfig(file ? { ...others, DATABASE_URL_FILE: path } : others)).not.toThrow();
  }
  const together = Object.fromEntries(
    starts
      .flatMap((settings) => Object.entries(settings))
      .filter(([name]) => !ELSEWHERE.test(name)),
  );
  const environment = { ...together, PORT: "0", KEYHEARTH_DATA_DIR: data };
  const service = await startService(environment);
  onTestFinished(async () => void (await service.stop()));
  expect(service.stderr() + service.stdout()).not.toMatch(/no variable of Keyhearth/);
  const client = clientOf(service, readRootKey(data));
  await client.createUserTag({ userTagName: "Finance", userIds: [] });
});

/** Other tests start with a database and a signer of their own. */
const ELSEWHERE = /^(DATABASE_(URL(_FILE)?|READ_URL|POOLER)|KEYHEARTH_(SIGNER|API_WORKERS))$/;

test("the signer takes the commands that the pages give it", async () => {
  const commands = lines.flatMap((line) => {
    const [, args] =
      /^(?:(?:sudo -u keyhearth(?:-signer)? )?keyhearth-signer|npx --no keyhearth signer) (.+)$/.exec(
        line,
      ) ?? [];
    return args === undefined ? [] : [args];
  });
  expect(new Set(commands.map((args) => args.split(" ")[0]))).toEqual(
    new Set([
      ...["--state", "accept-clock", "accept-restored-database", "describe", "pair"],
      ...["share-marks", "trust-courier"],
    ]),
  );
  const etcd = findEtcd() === null ? null : await startEtcd();
  onTestFinished(async () => etcd?.stop());
  const api = readDoorKey(newDoorKey());
  if (!api) throw new Error("no key");
  const now = new Date().toISOString();
  for (const args of new Set(commands)) {
    // The first start is the one above. Where there is no etcd, its command is read by `tests/signers` alone.
    if (args.includes("--create") || (args.startsWith("share-marks") && !etcd)) continue;
    const given = args
      .replace(/(?<=--state )\S+/, join(data, "signer"))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/, now)
      .replace(/(?<=--api )\S+/, join(data, "signer-door-key"))
      .replace("LINE", lineOf("api", api.pin))
      .replace(/(?<=--marks )"[^"]+"/, String(etcd?.marks))
      .replace("PUBLIC_KEY", KEY);
    const outcome = promisify(execFile)(process.execPath, [mainOf("signer"), ...given.split(" ")]);
    await expect(outcome, args).resolves.toMatchObject({ stderr: "" });
  }
});

/** Of a courier that nobody runs: the base point of P-256. */
const KEY =
  "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
