const START = "preload(window.location.pathname).then(";

/**
 * The module that starts a page, so that the page's own modules run in a task of their own. Its scripts are there already, and
 * would run right after those of all pages, without a pause in which the browser can answer.
 *
 * @throws if the module has another shape than in Docusaurus 3.10.
 */
export function inOwnTask(source: string): string {
  if (!source.includes(START)) {
    throw new Error(
      "the module that starts pages has another shape than in Docusaurus 3.10: fix plugins/lean-scripts",
    );
  }
  return source.replace(
    START,
    `new Promise((resolve) => setTimeout(resolve)).then(() => ${START.slice(0, -6)}).then(`,
  );
}

export { inOwnTask as default };
