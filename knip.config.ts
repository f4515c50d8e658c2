import type { KnipConfig } from "knip";

/** Its manifest exports every file, but only to the other workspaces. */
const ours = { project: ["src/**/*.{ts,tsx}"], includeEntryExports: true };

/**
 * `knip` finds files, exports, types and dependencies that nothing uses. What it cannot see is listed here: programs that
 * are started by their path, and what the builder of the site loads by its name. `noUndeclaredDependencies` of Biome
 * finds what a manifest lacks.
 */
const config: KnipConfig = {
  exclude: ["unlisted", "binaries", "optionalPeerDependencies"],
  // A type may be a part of an exported one.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // The contract has everything that this file exports.
  ignoreIssues: { "apps/api/src/wire/objects.ts": ["exports"] },
  workspaces: {
    ".": {
      entry: [
        "scripts/*.{ts,mjs}",
        "scripts/bundle/create-database.ts",
        "scripts/bundle/{main,pglite}.mjs",
        "scripts/release/**/launcher/*.mjs",
        "scripts/release/container/pin-base.ts",
        "scripts/release/keep-version.ts",
        "bench/*.ts",
        "tests/**/*.test.ts",
        "tests/{fuzz,load,model}/main.ts",
        "tests/{dashboard/gallery,kit/page}/main.tsx",
        "tests/quickstarts/next-kit/*.{ts,tsx}",
        "tests/upgrade/make-fixture.ts",
      ],
      project: ["scripts/**/*.{ts,mjs}", "bench/**/*.ts", "tests/**/*.{ts,tsx,mjs}"],
      ignoreDependencies: [
        // `npm run mutate` writes the configuration that names them.
        "@stryker-mutator/*",
        // What the examples use is installed here, and so is what the courier's test server uses.
        "@types/mailparser",
        "@types/smtp-server",
      ],
    },
    "packages/crypto": {
      ...ours,
      // Loaded by its file, and missing where there is no build for the platform.
      ignoreDependencies: ["secp256k1"],
    },
    "packages/engine": ours,
    "packages/outbound": ours,
    "packages/policy": ours,
    "packages/cli": {
      entry: ["src/main-of-service.ts"],
      project: ["src/**/*.ts"],
    },
    "packages/*": { project: ["{src,scripts}/**/*.{ts,tsx}"] },
    "apps/website": {
      entry: [
        "*.ts",
        "plugins/*/index.ts",
        "plugins/*.d.ts",
        "plugins/search/words.ts",
        "src/{pages,theme}/**/*.{ts,tsx}",
        "src/cleared-storage.ts",
        "src/system-theme.ts",
        "src/components/**/*.es.ts",
        "{docs,i18n,src}/**/*.mdx",
        "snippets/**/*.{ts,tsx}",
      ],
      project: ["{src,plugins}/**/*.{ts,tsx,mdx}"],
      // Its plugin for fonts reads the files.
      ignoreDependencies: ["@fontsource-variable/*"],
    },
    "apps/api": ours,
    "apps/courier": ours,
    "apps/dashboard": {
      entry: ["scripts/*.ts", "src/screens/*/screen.tsx"],
      project: ["{src,scripts}/**/*.{ts,tsx}"],
      // Its style sheet names the files of fonts.
      ignoreDependencies: ["@fontsource-variable/*"],
    },
    "apps/frames": {
      entry: ["scripts/*.ts", "src/{auth,export,export-and-sign,import}.ts"],
      project: ["{src,scripts}/**/*.ts"],
      includeEntryExports: true,
    },
    "apps/signer": ours,
  },
};

export default config;
