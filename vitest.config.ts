import { configDefaults, defineConfig } from "vitest/config";
import { ProgramsFirst } from "./scripts/test-order.ts";

export default defineConfig({
  test: {
    include: ["**/*.test.{ts,tsx}"],
    exclude: [
      ...configDefaults.exclude,
      "**/build/**",
      "**/.docusaurus/**",
      // A link to the theme of the site, whose tests run where they are.
      "apps/website/fixtures/shell/src/theme/**",
      // What readers copy. Tests run it as readers do.
      "apps/website/snippets/**",
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine may need seconds for what comes next. Only a test that fails waits so long.
    expect: { poll: { timeout: 20_000 } },
    pool: "forks",
    // The files of one process share a database and a signer, each test in an organization of its own.
    isolate: false,
    sequence: { sequencer: ProgramsFirst },
    // Node.js runs the sources of the tests as it runs those of the service, so nothing translates them first.
    experimental: { viteModuleRunner: false },
    // The site has no `type` in its manifest, because its generator loads some of its files as CommonJS.
    execArgv: ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"],
  },
});
