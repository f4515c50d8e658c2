import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { type RecordKind, upcast } from "./kind.ts";
import { recordKinds } from "./kinds.ts";
import type { NotarizedRecord } from "./record.ts";
import { wallet } from "./wallet.ts";

function record(type: string, schema: number, body: unknown = { votes: [] }): NotarizedRecord {
  const id = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  return { header: { type, schema, organizationId: id, id, version: 1, keyEpoch: 1 }, body };
}

const kinds: RecordKind<unknown>[] = Object.values(recordKinds);

test("every kind reads all its earlier schemas", () => {
  for (const kind of kinds) {
    for (let schema = 1; schema <= kind.schema; schema++) {
      expect(() => upcast(kind, record(kind.type, schema))).not.toThrow();
    }
  }
});

test("a schema that is newer than this version or never existed is refused", () => {
  for (const kind of kinds) {
    const newer = record(kind.type, kind.schema + 1);
    expect(() => upcast(kind, newer)).toThrow(ApiError);
    expect(() => upcast(kind, newer)).toThrow(
      `${kind.type} record of schema ${kind.schema + 1} is newer than this version`,
    );
    for (const schema of [0, -1, 0.5]) {
      expect(() => upcast(kind, record(kind.type, schema))).toThrow(
        `${kind.type} record of unknown schema ${schema}`,
      );
    }
  }
});

test("a record of another type is refused", () => {
  expect(() => upcast(wallet, record("private-key", 1))).toThrow(
    "expected a record of type wallet, got private-key",
  );
});

test("steps run in order and do not change the stored body", () => {
  const kind: RecordKind<{ trail: string }> = {
    type: "wallet",
    schema: 3,
    upcasts: {
      1: ({ trail }) => ({ trail: `${trail}>2` }),
      2: ({ trail }) => ({ trail: `${trail}>3` }),
    },
  };
  const body = { trail: "1" };
  expect(upcast(kind, record("wallet", 1, body))).toEqual({ trail: "1>2>3" });
  expect(upcast(kind, record("wallet", 2, body))).toEqual({ trail: "1>3" });
  expect(upcast(kind, record("wallet", 3, body))).toEqual({ trail: "1" });
  expect(body).toEqual({ trail: "1" });
});
