import { readFileSync } from "node:fs";
import { calls } from "@keyhearth/api/proxy/calls";
import { readProxySettings } from "@keyhearth/engine/people/auth-proxy";
import { expect, test } from "vitest";

// The guide lists every call of the login proxy with its fields, and every setting with its default.

const guide = readFileSync(
  new URL("../../apps/website/docs/guides/login-proxy.mdx", import.meta.url),
  "utf8",
);
const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
const cellsOf = (row: string) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, ""));

test.each(calls.map((call) => [call.name, call] as const))("it has %s", (name, { body }) => {
  const row = rows.find((each) => cellsOf(each)[0] === `\`${name}\``);
  const [, fields = ""] = cellsOf(row ?? "");
  const listed = [...fields.matchAll(/`(\w+)`(\\\*)?/g)].map(([, field, star]) => [field, !!star]);
  const expected = Object.entries(body.shape).map(([field, schema]) => [
    field,
    !schema.safeParse(undefined).success,
  ]);
  expect(listed).toEqual(expected);
});

test("it has every setting, and its default", () => {
  const given = { publicKey: `02${"11".repeat(32)}`, appName: "x", methods: ["email"] };
  const read = readProxySettings(JSON.stringify({ ...given, origins: ["https://a.example"] }));
  const known = Object.entries(read).filter(([name]) => !(name in given) && name !== "origins");
  for (const [name, value] of known) {
    const row = rows.find((each) => cellsOf(each)[0]?.includes(`\`${name}\``));
    expect(row, name).toBeDefined();
    const [, shown = ""] = cellsOf(row ?? "");
    const isEmpty = typeof value === "object" && Object.keys(value).length === 0;
    expect(shown, name).toContain(
      isEmpty ? (name === "oauthClientIds" ? "none" : "{}") : `${value}`,
    );
  }
});
