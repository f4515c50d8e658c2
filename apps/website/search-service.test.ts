import { expect, test } from "vitest";
import { localSearch, readSearchService } from "./search-service.ts";
import { isHosted } from "./src/search/hosted.ts";

const env = {
  ALGOLIA_APP_ID: "B1G2GM9NG0",
  ALGOLIA_SEARCH_KEY: "0123456789abcdef0123456789abcdef",
  ALGOLIA_INDEX: "keyhearth",
};

test("without settings, the pages search by themselves", () => {
  expect(readSearchService({})).toEqual(localSearch);
  expect(readSearchService({ ALGOLIA_APP_ID: "" })).toEqual(localSearch);
  expect(isHosted(localSearch)).toBe(false);
});

test("the three settings name an index", () => {
  const service = readSearchService(env);
  expect(service).toEqual({
    appId: env.ALGOLIA_APP_ID,
    apiKey: env.ALGOLIA_SEARCH_KEY,
    indexName: env.ALGOLIA_INDEX,
  });
  expect(isHosted(service)).toBe(true);
});

test.each(Object.keys(env))("a build without %s says what is missing", (name) => {
  expect(() => readSearchService({ ...env, [name]: undefined })).toThrow(
    new RegExp(`^${name} is missing: set it to .*, or unset the others$`),
  );
});

test.each([
  ["ALGOLIA_APP_ID", "evil.example"],
  ["ALGOLIA_APP_ID", "b1g2gm9ng0"],
  ["ALGOLIA_SEARCH_KEY", "short"],
  ["ALGOLIA_INDEX", "an index"],
])("%s refuses `%s`, and a key is not repeated", (name, value) => {
  const shown = name === "ALGOLIA_SEARCH_KEY" ? "not a key" : `\`${value}\``;
  expect(() => readSearchService({ ...env, [name]: value })).toThrow(`${name} is ${shown}: set it`);
});
