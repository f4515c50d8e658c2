import { configDefaults, defineConfig } from "vitest/config";

const exclude = [...configDefaults.exclude, "**/build/**", "**/.docusaurus/**"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    projects: [
      {
        extends: true,
        test: {
          name: "code",
          include: [
            "packages/**/*.test.ts",
            "apps/{api,signer}/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude,
        },
      },
      // What starts the whole product or reads the built site; one file after the other, for the sake of the
      // clocks in them.
      {
        extends: true,
        test: { name: "product", include: ["tests/**/*.test.ts"], exclude, fileParallelism: false },
      },
      {
        extends: true,
        test: {
          name: "site",
          include: ["apps/website/**/*.test.{ts,tsx}"],
          exclude,
          fileParallelism: false,
        },
      },
    ],
  },
});
