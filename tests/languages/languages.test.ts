import { createECDH } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RootUserParamsV4 } from "@keyhearth/sdk";
import { type Address, type Hex, verifyMessage } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../start/long-form.ts";
import { clientOf, type RootKey } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { startBusyService, startPageServer } from "./busy-service.ts";
import { type Ended, findLanguages, run } from "./toolchains.ts";

// Builds the example clients in other languages with their own tools, and runs them against the real
// service, as readers would.

const directory = mkdtempSync(join(tmpdir(), "keyhearth-languages-"));
const languages = findLanguages(directory);
const isCi = Boolean(process.env.CI);

let service: SharedProduct;
let rootKey: RootKey;

beforeAll(async () => {
  service = await sharedProduct();
  rootKey = service.root;
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(languages.filter(({ missing }) => missing === undefined))("$name", (language) => {
  beforeAll(async () => {
    if (!language.build) return;
    expect(await run(language, language.build)).toMatchObject({ code: 0 });
  }, 240_000);

  /** Runs the example's program, with the root's key if no other is given. */
  function runProgram(settings: Record<string, string> = {}): Promise<Ended> {
    return run(language, language.program, {
      ...service.environment,
      KEYHEARTH_ORGANIZATION_ID: "",
      ...settings,
    });
  }

  test("its own tests pass", async () => {
    const { code, stdout, stderr } = await run(language, language.unitTests);
    expect(code, stdout + stderr).toBe(0);
    // A runner that finds no test succeeds too.
    expect(stdout + stderr).toMatch(/^ok .*\/keyhearth|running [1-9]|^[1-9]\d* runs|Ran [1-9]/m);
  }, 240_000);

  test("it creates a wallet once, and signs what viem verifies", async () => {
    const first = await signedBy(await runProgram());
    const { wallets } = await clientOf(service, rootKey).listWallets();
    const wallet = wallets.filter(({ walletName }) => walletName === `${language.name} example`);
    expect(wallet).toHaveLength(1);
    const { accounts } = await clientOf(service, rootKey).listWalletAccounts({
      walletId: wallet[0]?.walletId ?? "",
    });
    expect(accounts.map(({ address }) => address)).toEqual([first.address]);

    const second = await signedBy(await runProgram());
    expect(second.address).toBe(first.address);
  });

  test("it sends a busy service the same bytes again, and waits for what is pending", async () => {
    const busy = await startBusyService(service.url);
    const { organization, member } = await newOrganization(1);
    const { address } = await signedBy(
      await runProgram({ KEYHEARTH_URL: `${busy.url}/`, KEYHEARTH_ROOT_KEY: member }),
    );
    busy.stop();
    const { wallets } = await clientOf(service, organization).listWallets();
    expect(wallets).toHaveLength(1);
    expect(address).toMatch(/^0x/);
    const polled = busy.received.filter(({ path }) => path.endsWith("/get_activity"));
    expect(polled).toHaveLength(4);
    for (const { path, body, stamp } of busy.received) {
      const sent = busy.received.filter((each) => each.path === path && each.body === body);
      expect(sent.map((each) => each.stamp)).toEqual([stamp, stamp]);
    }
  });

  test("it says what approvals an activity needs", async () => {
    const { organization, member } = await newOrganization(2);
    const { code, stderr } = await runProgram({ KEYHEARTH_ROOT_KEY: member });
    const { activities } = await clientOf(service, organization).listActivities({});
    expect(activities.map(({ type, status }) => [type, status])).toEqual([
      ["ACTIVITY_TYPE_CREATE_WALLET", "ACTIVITY_STATUS_CONSENSUS_NEEDED"],
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("needs more approvals");
    expect(stderr).toContain(activities[0]?.fingerprint);
  });

  test("it says in one line why a request was refused", async () => {
    const stranger = newKey(rootKey.organizationId);
    expect(await runProgram({ KEYHEARTH_ROOT_KEY: keyFile(stranger) })).toMatchObject({
      code: 1,
      stderr: oneLine("401 CREDENTIAL_NOT_FOUND"),
    });
    expect(await runProgram({ KEYHEARTH_ORGANIZATION_ID: "x" })).toMatchObject({
      code: 1,
      stderr: oneLine("400 ORGANIZATION_ID_MALFORMED"),
    });
  });

  test("it names a wrong base URL and a wrong key, and shows no private key", async () => {
    const page = await startPageServer();
    const other = newKey(rootKey.organizationId);
    const mixed = { ...other, apiPublicKey: rootKey.apiPublicKey };
    const outcomes = [
      await runProgram({ KEYHEARTH_URL: page.url }),
      await runProgram({ KEYHEARTH_URL: "http://127.0.0.1:1" }),
      await runProgram({ KEYHEARTH_ROOT_KEY: keyFile(mixed) }),
      await runProgram({ KEYHEARTH_ROOT_KEY: join(directory, "no-such-file.json") }),
    ];
    page.stop();
    expect(outcomes.map(({ stderr }) => stderr)).toEqual([
      oneLine("check the base URL"),
      oneLine("reach"),
      oneLine("does not belong to the private key"),
      oneLine("no-such-file.json"),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    expect(JSON.stringify(outcomes)).not.toContain(other.apiPrivateKey);
  });
});

// TLS is most of what there is to compile, so only the long form of the tests builds it.
const rust = languages.find(({ name, missing }) => name === "Rust" && !missing);
test.runIf(rust && isLong)(
  "the client in Rust builds with TLS",
  async () => {
    if (rust) expect(await run(rust, ["cargo", "build", "--locked"])).toMatchObject({ code: 0 });
  },
  600_000,
);

for (const { name, missing } of languages) {
  if (missing && isCi) {
    test(`${name} is installed`, () => {
      expect(missing).toBeUndefined();
    });
  } else if (missing) {
    test.skip(`the example in ${name}: ${missing}`, () => {});
  }
}

/** What a successful run printed, after viem has verified the signature. */
async function signedBy({ code, stdout, stderr }: Ended): Promise<{ address: Address }> {
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const line = (label: string) => new RegExp(`^${label} (.+)$`, "m").exec(stdout)?.[1] ?? "";
  expect(line("Signed in as")).toMatch(/ of /);
  const address = line("Address:") as Address; // verifyMessage refuses what is none
  const signature = line("Signature:") as Hex; // likewise
  expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
  expect(await verifyMessage({ address, message: line("Message:"), signature })).toBe(true);
  return { address };
}

/** A sub-organization with that many root users, who all have to approve; and the key file of the first. */
async function newOrganization(
  members: number,
): Promise<{ organization: RootKey; member: string }> {
  const keys = Array.from({ length: members }, () => newKey(""));
  const { subOrganizationId } = await clientOf(service, rootKey).createSubOrganization({
    subOrganizationName: `Organization ${crypto.randomUUID()}`,
    rootQuorumThreshold: members,
    rootUsers: keys.map(
      ({ apiPublicKey }, index): RootUserParamsV4 => ({
        userName: `Member ${index + 1}`,
        apiKeys: [{ apiKeyName: "key", publicKey: apiPublicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      }),
    ),
  });
  const [first = newKey("")] = keys;
  const organization = { ...first, organizationId: subOrganizationId };
  return { organization, member: keyFile(organization) };
}

function newKey(organizationId: string): RootKey {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  return {
    organizationId,
    userId: "",
    apiPublicKey: pair.getPublicKey("hex", "compressed"),
    apiPrivateKey: pair.getPrivateKey("hex").padStart(64, "0"),
  };
}

function keyFile(key: RootKey): string {
  const path = join(directory, `${key.apiPublicKey}-${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(key), { mode: 0o600 });
  return path;
}

/** Matches a single line that contains the text. */
function oneLine(text: string) {
  return expect.stringMatching(new RegExp(`^[^\\n]*${text}[^\\n]*\\n$`));
}
