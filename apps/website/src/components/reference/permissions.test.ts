import { readdirSync, readFileSync } from "node:fs";
import { activities } from "@keyhearth/engine/activities/index";
import { expect, test } from "vitest";
import { describeReference, permissionsByName } from "../../../plugins/api-reference/reference.ts";
import { phrasesOf } from "./senders.ts";

// Pages render from the contract who may send a request and what a policy names for it.

const root = new URL("../../../", import.meta.url);
const contract = JSON.parse(readFileSync(new URL("../../contract/openapi.json", root), "utf8"));
const permissions = permissionsByName(describeReference(contract));

const pages = ["docs/", "i18n/es/docusaurus-plugin-content-docs/current/"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mdx"))
    .map((name) => `${folder}${name}`),
);
const read = (name: string) => readFileSync(new URL(name, root), "utf8");

test("every kind of sender in the contract has words", () => {
  expect(Object.keys(permissions).length).toBeGreaterThan(70);
  for (const senders of Object.values(permissions)) expect(phrasesOf(senders)).not.toEqual([]);
});

test("activities that only the root quorum can allow are marked", () => {
  const marked = Object.entries(permissions).filter(
    ([, { rootQuorumOnly }]) => rootQuorumOnly === "always",
  );
  const names = activities.filter((each) => each.rootQuorumOnly === true).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(3);
  expect(marked.map(([name]) => name).sort()).toEqual(names.sort());
});

test("the three calls of a login by code differ in what allows them", () => {
  const named = ["init_otp", "verify_otp", "otp_login"].map((call) => permissions[call]);
  expect(named).toMatchObject([
    { resource: "OTP", action: "CREATE" },
    { resource: "OTP", action: "VERIFY" },
    { resource: "AUTH", action: "CREATE" },
  ]);
});

test.each(pages)("%s types no permission by hand", (page) => {
  const prose = read(page).replace(/^```.*?^```$/gms, "");
  const resources = new Set(Object.values(permissions).map(({ resource }) => resource));
  const actions = new Set(Object.values(permissions).map(({ action }) => action));
  const pairs = [...prose.matchAll(/`([A-Z_]+)`(?:,|\s+on|\s+sobre)\s+`([A-Z_]+)`/g)].filter(
    ([, a = "", b = ""]) =>
      (resources.has(a) && actions.has(b)) || (actions.has(a) && resources.has(b)),
  );
  expect(pairs.map(([pair]) => pair)).toEqual([]);
});

test.each(pages)("%s asks only for permissions of calls that exist", (page) => {
  const text = read(page);
  const single = [...text.matchAll(/<PermissionOf call="(\w+)" \/>/g)].map(([, call = ""]) => call);
  const listed = [...text.matchAll(/<SendersOf calls=\{(\[[^\]]*\])\} \/>/g)].flatMap(
    ([, calls = "[]"]) => JSON.parse(calls) as string[],
  );
  const unknown = [...single, ...listed].filter((call) => !Object.hasOwn(permissions, call));
  expect(unknown).toEqual([]);
});
