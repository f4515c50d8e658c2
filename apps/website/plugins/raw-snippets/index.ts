import type { Plugin } from "@docusaurus/types";

/**
 * Lets a page import a file as text with `?raw`, so that the sample a reader sees is the very
 * file that the tests execute.
 */
export default function rawSnippets(): Plugin {
  return {
    name: "raw-snippets",
    configureWebpack(config) {
      // The compiling rules must leave `?raw` alone, or the reader would see compiled output.
      for (const rule of config.module?.rules ?? []) {
        if (rule && typeof rule === "object" && matches(rule.test, "sample.ts")) {
          rule.resourceQuery = { not: [/[?&]raw\b/] };
        }
      }
      return { module: { rules: [{ resourceQuery: /[?&]raw\b/, type: "asset/source" }] } };
    },
  };
}

function matches(test: unknown, name: string): boolean {
  return test instanceof RegExp && test.test(name);
}
