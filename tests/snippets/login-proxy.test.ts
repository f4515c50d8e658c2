import { readFileSync } from "node:fs";
import { calls, publicKeyCall } from "@keyhearth/api/proxy/calls";
import { readProxySettings } from "@keyhearth/engine/people/auth-proxy";
import { expect, test } from "vitest";

// The guide names every call of the login proxy, and every setting with its default.

const guide = readFileSync(
  new URL("../../apps/website/docs/guides/login-proxy.mdx", import.meta.url),
  "utf8",
);
const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
const cellsOf = (row: string) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, ""));

test("it names every call", () => {
  const [, section = ""] = guide.split("{/* #calls */}");
  for (const { name } of [...calls, publicKeyCall]) expect(section).toContain(`\`${name}\``);
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
      isEmpty ? (["oauthClientIds", "emailTemplates"].includes(name) ? "none" : "{}") : `${value}`,
    );
  }
});
