import { readFileSync } from "node:fs";
import { EVENT_TYPES } from "@keyhearth/engine/records/webhook-endpoints";
import { expect, test } from "vitest";

// Holds what pages about the API and about logins say in numbers and lists to the contract and the code.

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const page = (name: string) => read(`../docs/${name}.mdx`);
const { paths, components } = JSON.parse(read("../../../contract/openapi.json"));

test("the introduction names the size of pages", () => {
  const { description } = components.schemas.Pagination.properties.limit;
  expect(description).toContain("`1` to `100`");
  expect(description).toContain("Default `10`");
  const text = page("developer-reference/api-overview/intro").replaceAll("\n", " ");
  expect(text).toContain("of 10 entries, or of as many as you ask for, up to 100");
});

test.each(["../docs/", "../i18n/es/docusaurus-plugin-content-docs/current/"])(
  "%s lists every filter of sub-organizations",
  (folder) => {
    const text = read(`${folder}concepts/sub-organizations.mdx`);
    const table = text.split("\n").filter((line) => /^\| `[A-Z_]+`/.test(line));
    const listed = table.flatMap((row) => codes(row.split("|")[1] ?? ""));
    expect(listed).toEqual(filterTypes("list_suborgs").map((type) => expect.stringMatching(type)));
    const [, verified = ""] = /`list_verified_suborgs`\]\([^)]*\) ([^.]*)/.exec(text) ?? [];
    expect(codes(verified)).toEqual(filterTypes("list_verified_suborgs"));
  },
);

test("the page about social logins says how long the keys of issuers count", () => {
  const source = read("../../signer/src/oidc/issuer-keys.ts");
  expect(source).toContain("const FRESH_MS = 60 * 60_000;");
  expect(source).toContain("const USABLE_MS = 6 * FRESH_MS;");
  const text = page("authentication/social-logins").replaceAll("\n", " ");
  expect(text).toContain("keeps them for an hour");
  expect(text).toContain("until they are six hours old");
});

test("the page about webhooks has a row for every type of event", () => {
  const rows = page("developer-reference/webhooks").matchAll(/^\| (`[A-Z_]+_UPDATES`.*?) \|/gm);
  const listed = [...rows].flatMap(([, names = ""]) => codes(names));
  expect(listed.toSorted()).toEqual([...EVENT_TYPES].toSorted());
});

test("the page about data names the times for which the service keeps things", () => {
  const table = page("self-hosting/data");
  const times: [string, string, string][] = [
    ["../../api/src/jobs/prune.ts", "EXPIRED_MS = 24 * 60 * 60 * 1000", "a day after they expire"],
    ["../../api/src/config/retention.ts", "deliveriesMs: 7 * DAY_MS", "| 7 days, or"],
    ["../../api/src/config/retention.ts", "feedbackMs: 365 * DAY_MS", "| a year, or"],
    ["../../api/src/config/retention.ts", "least: 30, most: 36_500", "| 30 to 36,500 days |"],
    ["../../api/src/config/retention.ts", "least: 1, most: 30 }", "| 7 days | 1 to 30 days |"],
    ["../../api/src/config/retention.ts", "least: 1, most: 3650", "| 365 days | 1 to 3,650 days |"],
    ["../../api/src/jobs/mail/deliver.ts", "KEEP_MS = 30 * 24 * 60 * 60 * 1000", "| 30 days |"],
    [
      "../../api/src/store/denials.ts",
      "KEEP_MS = 24 * 60 * 60 * 1000",
      "a day, and the newest hundred",
    ],
    ["../../api/src/store/denials.ts", "MAX_PER_USER = 100", "a day, and the newest hundred"],
  ];
  for (const [file, constant, words] of times) {
    expect([file, read(file).includes(constant)]).toEqual([file, true]);
    expect(table).toContain(words);
  }
});

/** The values of `filterType`, which the contract lists in words, because it takes them in any case. */
function filterTypes(query: string): string[] {
  const { $ref } =
    paths[`/public/v1/query/${query}`].post.requestBody.content["application/json"].schema;
  const { description } = components.schemas[$ref.split("/").at(-1)].properties.filterType;
  return description.match(/[A-Z][A-Z_]{3,}/g);
}

function codes(text: string): string[] {
  return [...text.matchAll(/`([A-Z_]+)`/g)].map(([, code = ""]) => code);
}
