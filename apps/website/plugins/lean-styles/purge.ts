import { PurgeCSS } from "purgecss";

/** Parts of selectors that scripts put together when they run, or that stand for what only HTML has. */
const madeLater = {
  standard: [/^theme-doc-sidebar-item-category-level-/, /^code-/],
  greedy: [/^data-/, /^dir$/],
};

/**
 * A style sheet without the rules and variables that nothing uses.
 *
 * @param scripts every script that can make an element. A rule stays if they name its classes and elements.
 * @param others other style sheets. They and the scripts may use variables of this one.
 */
export async function purge(css: string, scripts: string[], others: string[]): Promise<string> {
  const variables = [...scripts, ...others].flatMap((text) => text.match(/--[\w-]+/g) ?? []);
  const [purged] = await new PurgeCSS().purge({
    css: [{ raw: css }],
    content: scripts.map((raw) => ({ raw, extension: "js" })),
    variables: true,
    safelist: { ...madeLater, variables: [...new Set(variables)] },
  });
  if (!purged) throw new Error("PurgeCSS returned no style sheet");
  return purged.css;
}
