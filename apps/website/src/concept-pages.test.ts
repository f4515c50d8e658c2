import { readFileSync } from "node:fs";
import { LIMITS } from "@keyhearth/engine/records/limits";
import { describe, expect, test } from "vitest";

// Holds the tables of the pages about organizations and users to the code and the contract, in both languages.

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const { schemas } = JSON.parse(read("../../../contract/openapi.json")).components;

describe.each(["../docs/", "../i18n/es/docusaurus-plugin-content-docs/current/"])(
  "%s",
  (folder) => {
    const page = (name: string) => read(`${folder}concepts/${name}.mdx`);

    test("the page about organizations has every feature, with its default", () => {
      const rows = page("organizations")
        .split("\n")
        .filter((line) => line.startsWith("| `FEATURE_"));
      const names: string[] = schemas.FeatureName.enum;
      for (const name of names) {
        const [row, ...others] = rows.filter((line) => line.includes(`\`${name}\``));
        expect([name, others]).toEqual([name, []]);
        // Those that create_sub_organization can leave out are on by default there.
        const isLogin = !/WEBHOOK|ORIGINS/.test(name);
        expect([name, /top-level|nivel superior/.test(row ?? "")]).toEqual([name, isLogin]);
      }
    });

    test("the table of quorums is right", () => {
      const rows = [
        ...page("users/root-quorum").matchAll(/^\| (\d+) (?:of|de) (\d+) \| (\d+) \| (\d+) \|$/gm),
      ].map((row) => row.slice(1).map(Number));
      expect(rows.length).toBeGreaterThan(4);
      for (const [threshold = 0, size = 0, losses, thefts] of rows) {
        expect([threshold, size, losses, thefts]).toEqual([
          threshold,
          size,
          size - threshold + 1,
          threshold,
        ]);
      }
    });

    test("the page about users names every field of a user, and the limits", () => {
      const text = page("users/introduction");
      // Times are on everything, and there are no rules for further authentication yet.
      const fields = Object.keys(schemas.User.properties).filter(
        (name) => !["createdAt", "updatedAt", "mfaPolicies"].includes(name),
      );
      expect(fields.length).toBeGreaterThan(6);
      for (const name of fields) expect(text).toContain(`\`${name}\``);
      const limits = [...text.matchAll(/^\| [^|]+ \| (\d+) \|$/gm)].map(([, value]) =>
        Number(value),
      );
      expect(limits).toEqual([
        LIMITS.users,
        LIMITS.tags,
        LIMITS.subOrganizationTags,
        LIMITS.apiKeysPerUser,
        LIMITS.authenticatorsPerUser,
        LIMITS.oauthProvidersPerUser,
        LIMITS.invitations,
      ]);
    });
  },
);
