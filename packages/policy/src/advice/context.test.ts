import fc from "fast-check";
import { expect, test } from "vitest";
import {
  caseInsensitive,
  type Environment,
  inputFromJson,
  makeEnvironment,
  unread,
} from "../environment.ts";
import { roots } from "../generate.testing.ts";
import { contextOf } from "./context.ts";

function readBack(context: Record<string, unknown>): Environment {
  // JSON is what travels, and `__proto__` and the like must survive it.
  const json = JSON.parse(JSON.stringify(context));
  return makeEnvironment(
    Object.fromEntries(Object.entries(json).map(([name, root]) => [name, inputFromJson(root)])),
  );
}

test("what is written is read back as the same values", () => {
  fc.assert(
    fc.property(roots, (given) => {
      const environment = makeEnvironment(given);
      const again = readBack(contextOf(environment));
      expect(JSON.stringify(again.entries, plain)).toBe(JSON.stringify(environment.entries, plain));
    }),
  );
});

/** Integers as text, and nothing of what is not set. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const set = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(set.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("each form of a value has its JSON", () => {
  const address = `0x${"aB".repeat(20)}`;
  const environment = makeEnvironment({
    activity: {
      kind: "DELETE_WALLETS",
      params: { wallet_ids: ["w"], note: { $ci: "text of a client" } },
    },
    wallet: { id: "w", imported: true },
    eth: {
      tx: { to: address, value: 2n ** 100n, nonce: 7, chain_id: unread("no chain") },
      eip_712: { message: { owner: caseInsensitive(address), amount: 2n ** 200n } },
    },
  });
  expect(contextOf(environment)).toEqual({
    activity: {
      kind: "DELETE_WALLETS",
      params: { wallet_ids: ["w"], note: { $unread: "an object whose only field is $ci" } },
    },
    wallet: { id: "w", imported: true },
    eth: {
      tx: {
        to: address,
        value: { $int: String(2n ** 100n) },
        nonce: 7,
        chain_id: { $unread: "no chain" },
      },
      eip_712: {
        message: { owner: { $ci: address }, amount: { $uint: String(2n ** 200n) } },
      },
    },
  });
});
