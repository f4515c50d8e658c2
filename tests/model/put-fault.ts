import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutants.ts";

const root = new URL("../../", import.meta.url);

/**
 * Replaces a text of one file when it is loaded. Call it before anything of the core is imported. Loading
 * fails if the text is not there exactly once, so that a fault does not silently stop being one.
 */
export function putFault({ name, file, text, replacement }: Mutant) {
  const url = new URL(file, root).href;
  registerHooks({
    load(loaded, context, next) {
      const result = next(loaded, context);
      if (loaded !== url) return result;
      const source = String(result.source);
      const parts = source.split(text);
      if (parts.length !== 2) {
        throw new Error(
          `the fault \`${name}\` needs a text that is ${parts.length - 1} times in ${fileURLToPath(url)}`,
        );
      }
      return { ...result, source: parts.join(replacement) };
    },
  });
}
