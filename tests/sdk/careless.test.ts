import {
  ApiKeyStamper,
  type ConnectionOptions,
  KeyhearthClient,
  KeyhearthError,
  whoami,
} from "@keyhearth/sdk";
import { Eip1193Error } from "@keyhearth/sdk/eip-1193";
import { WalletStamper } from "@keyhearth/sdk/stampers/wallet";
import { describe, expect, test, vi } from "vitest";
import { entries } from "../../packages/sdk/scripts/published/entries.ts";

// Every function and class of every entry, used by somebody whom no compiler warns. Whatever they pass,
// they get a result or one error of the SDK: no TypeError, no hang, no secret in a message.

const secret = `${"5ec7e7".repeat(10)}aaaa`;
const organizationId = "5b2a9f04-64f9-4d4b-9d8e-3c5a0a9c1f11";
const stamper = { stamp: async () => ({ name: "X-Stamp", value: "stamp" }) };

/** A client of a service that answers every request with an object that has nothing in it. */
function newClient(options: Record<string, unknown> = {}) {
  const fetch = vi.fn(async () => Response.json({}));
  const all = { baseUrl: "http://keyhearth.test", organizationId, stamper, fetch, ...options };
  // Whether the options fit is what is tested.
  const client = new KeyhearthClient(all as unknown as ConnectionOptions);
  return { client, fetch };
}

const { client } = newClient();
const nothing = () => undefined;
const keys = { apiPublicKey: secret, apiPrivateKey: secret, privateKey: secret };
/** Arguments, and how a failure names them. */
const given: [string, unknown[]][] = [
  ["nothing", []],
  ["null", [null, null, null]],
  ["texts", ["text", "text", "text"]],
  ["one text", ["text"]],
  ["numbers", [7, 7, 7]],
  ["a bigint", [10n]],
  ["a symbol", [Symbol("name")]],
  ["lists", [[], [], []]],
  ["functions", [nothing, nothing, nothing]],
  ["empty objects", [{}, {}, {}]],
  ["an empty object", [{}]],
  ["keys", [{ ...keys, mnemonic: secret, targetPrivateKey: secret }]],
  ["keys with 0x", [{ apiPublicKey: `0x${secret}`, apiPrivateKey: `0x${secret}` }]],
  ["a key in each place", [secret, secret, secret]],
  ["keys as all options", [{ signWith: secret, organizationId: secret, connection: client }]],
  ["a connection alone", [client]],
  ["a connection as an option", [{ connection: client, signWith: organizationId }]],
  ["a connection and null", [client, null, null]],
  ["a connection and texts", [client, "text", "text"]],
  ["a connection and a key", [client, secret, { organizationId: secret }]],
  ["a connection and an object", [client, {}, "text"]],
  ["a connection and objects", [client, {}, {}]],
  ["a connection and a bigint", [client, { n: 1n }]],
];

type Callable = (...args: unknown[]) => unknown;
const usable = entries.filter(({ subpath }) => !subpath.startsWith("./react"));
const published = (
  await Promise.all(
    // Hooks and components run only while React renders: `react.test.ts` and `tests/kit` have them.
    usable.map(async ({ subpath }) => {
      const entry = `@keyhearth/sdk${subpath.slice(1)}`;
      const exports: Record<string, unknown> = await import(entry);
      return Object.entries(exports).map(([name, value]) => ({ entry, name, value }));
    }),
  )
).flat();
const isCallable = (value: unknown): value is Callable =>
  typeof value === "function" && !(value.prototype instanceof Error);
const functions = published.flatMap(({ entry, name, value }) =>
  isCallable(value) ? [{ entry, name, value }] : [],
);

/** What is wrong with the outcome of a use, or undefined. */
async function problemOf(use: () => unknown): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it hangs")), 20_000);
  });
  try {
    await Promise.race([(async () => use())(), late]);
    return undefined;
  } catch (error) {
    const isTyped = error instanceof KeyhearthError || error instanceof Eip1193Error;
    if (!isTyped) return error instanceof Error ? (error.stack ?? String(error)) : String(error);
    const { message } = error;
    if (message.includes(secret.slice(0, 12))) return `shows a secret: ${message}`;
    return /\n|\[object|undefined/.test(message) ? `is no sentence: ${message}` : undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function problemsOf(value: Callable): Promise<string[]> {
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  const problems = given.map(async ([what, args]) => {
    const problem = await problemOf(() =>
      isClass ? Reflect.construct(value, args) : value(...args),
    );
    return problem === undefined ? [] : [`${what}: ${problem}`];
  });
  return (await Promise.all(problems)).flat();
}

test("the entries have functions to test", () => {
  expect(new Set(functions.map(({ entry }) => entry)).size).toBe(usable.length);
});

test.each(functions)("$entry $name throws nothing but errors of the SDK", async ({ value }) => {
  expect(await problemsOf(value)).toEqual([]);
});

type Row = [name: string, use: () => unknown, message: RegExp];

describe("one error with one sentence says the remedy:", () => {
  const withCall = (options: unknown) => () => client.whoami({}, options as never);
  const withOption = (options: Record<string, unknown>) => () => newClient(options).client.whoami();
  const rows: Row[] = [
    ["no connection", () => whoami(undefined as never), /^connection must be a Connection/],
    ["a text as options", withCall(organizationId), /^options must be an object, such as/],
    [
      "an organization that is null",
      withCall({ organizationId: null }),
      /^organizationId must.*null/,
    ],
    [
      "a controller as a signal",
      withCall({ signal: new AbortController() }),
      /^signal must be an A/,
    ],
    [
      "a BigInt in parameters",
      () => client.whoami({ n: 1n } as never),
      /^parameters cannot.*as text/,
    ],
    [
      "an address with a password",
      withOption({ baseUrl: `https://me:${secret}@host` }),
      /^baseUrl/,
    ],
    [
      "an address with a query",
      withOption({ baseUrl: "https://host/?a=b" }),
      /without a password, \?/,
    ],
    [
      "a key as the organization",
      withOption({ organizationId: secret }),
      /a text of 64 characters/,
    ],
    [
      "retries that are no number",
      withOption({ maxRetries: "many" }),
      /^maxRetries must be a whole/,
    ],
    ["retries without end", withOption({ maxRetries: Number.NaN }), /^maxRetries must be a whole/],
    [
      "a timeout that rings at once",
      withOption({ timeoutMs: 1e12 }),
      /^timeoutMs must be.*2147483647/,
    ],
    [
      "no pause between polls",
      withOption({ poll: { intervalMs: Number.NaN } }),
      /^poll\.intervalMs/,
    ],
    ["a fetch that is a text", withOption({ fetch: "fetch" }), /^fetch must be a function/],
    [
      "a stamper without a stamp",
      withOption({ stamper: { stamp: nothing } }),
      /^stamper must return/,
    ],
    [
      "a scheme of all objects",
      () => new ApiKeyStamper({ scheme: "toString" } as never),
      /^scheme/,
    ],
    ["no wallet", () => new WalletStamper({ ethereum: undefined } as never), /^There is no wallet/],
    ["no decide", () => client.approve("id", undefined as never), /^decide must be a function/],
    [
      "no activity",
      () => client.approve(undefined as never, () => true),
      /^activity must be the id/,
    ],
    ["no activity to reject", () => client.reject(null as never), /^activity must be the id/],
    [
      "no denial",
      () => client.explainDenial(new Error("no") as never),
      /^denied must be a PolicyD/,
    ],
  ];
  test.each(rows)("%s", async (_, use, message) => {
    expect(await problemOf(use)).toBeUndefined();
    const error = await (async () => use())().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });
});

test("a signal that has aborted asks nobody to stamp, and sends nothing", async () => {
  const stamp = vi.fn(stamper.stamp);
  const { client: other, fetch } = newClient({ stamper: { stamp } });
  const aborted = other.whoami({}, { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ name: "Cancelled", code: "ABORTED" });
  expect(stamp).not.toHaveBeenCalled();
  expect(fetch).not.toHaveBeenCalled();
});

test("a service that answers an activity without its members is one typed error", async () => {
  const [first, then] = [
    { activity: { id: "a", status: "ACTIVITY_STATUS_PENDING", organizationId } },
    { activity: null },
  ];
  const answers = [first, then].map((answer) => Response.json(answer));
  const fetch = async () => answers.shift() ?? Response.json({});
  const { client: other } = newClient({ fetch, poll: { intervalMs: 1 } });
  const wallet = other.createWallet({ walletName: "mine", accounts: [] });
  await expect(wallet).rejects.toMatchObject({ name: "Unverified" });
});
