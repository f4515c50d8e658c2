import { beforeAll, describe, expect, test } from "vitest";
import { type Build, build } from "./fixture.ts";

// Mistakes that the builder finds before a reader does.

describe("a site with broken links", () => {
  let site: Build;
  beforeAll(async () => {
    site = await build("broken-links");
  }, 240_000);

  test("broken links fail the build", () => {
    expect(site.code).not.toBe(0);
    expect(site.log).toContain("Docusaurus found broken links!");
    expect(site.log).toContain("-> linking to /no-such-page");
  });

  test("broken markdown links warn", () => {
    expect(site.log).toMatch(/\[WARNING\] Markdown link with URL `\.\/no-such-file\.md`/);
    expect(errorOf(site)).not.toContain("Markdown link");
  });

  test("duplicate routes warn", () => {
    expect(site.log).toMatch(/\[WARNING\] Duplicate routes found!\n- .* at \/double/);
    expect(errorOf(site)).not.toContain("/double");
  });
});

describe("a site whose pages cannot be rendered", () => {
  let site: Build;
  beforeAll(async () => {
    site = await build("failing");
  }, 240_000);

  test("a page module without a default export throws", () => {
    expect(site.code).not.toBe(0);
    expect(causeOf(site, "/no-default-export")).toContain(
      "The page component at /no-default-export doesn't have a default export.",
    );
  });

  test("a navbar item with a missing sidebar id is a developer error that lists the sidebars", () => {
    const cause = causeOf(site, "/");
    expect(cause).toContain(`Can't find any sidebar with id "no-such-sidebar"`);
    expect(cause).toMatch(/Available sidebar ids are:\s+- guide\s+- nothing/);
  });

  test("a navbar item with a missing doc id is a developer error that lists the docs", () => {
    const cause = causeOf(site, "/missing-doc");
    expect(cause).toContain(`Couldn't find any doc with id "no-such-doc"`);
    expect(cause).toMatch(/Available doc ids are:\s+- index/);
  });

  test("a navbar item for a sidebar without a link target is a developer error", () => {
    expect(causeOf(site, "/sidebar-without-link")).toContain(
      `Sidebar with ID "nothing" doesn't have anything to be linked to.`,
    );
  });
});

test("an unknown navbar item type is a developer error", async () => {
  const site = await build("unknown-item");
  expect(site.code).not.toBe(0);
  expect(site.log).toContain("Bad navbar item type carousel");
}, 240_000);

/** What the builder says after its warnings, when it gives up. */
function errorOf({ log }: Build): string {
  return log.slice(log.indexOf("[ERROR]"));
}

/** Why a page could not be rendered. */
function causeOf({ log }: Build, path: string): string {
  const [, ...causes] = log.split("Can't render static file for pathname ");
  return causes.find((cause) => cause.startsWith(`"${path}"`)) ?? "";
}
