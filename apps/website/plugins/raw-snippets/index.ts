import type { Plugin } from "@docusaurus/types";

/**
 * Lets a page import a file as text with `?raw`, so that readers see exactly the file that the
 * tests run.
 */
export default function rawSnippets(): Plugin {
  return {
    name: "raw-snippets",
    configureWebpack(config) {
      // Compilation must skip `?raw`, or readers would see compiled output.
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
