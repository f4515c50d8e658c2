const edits = [
  [
    "const docusaurus = {\n    prefetch,",
    "const docusaurus = {\n    prefetch: whenIdle(prefetch),",
  ],
  ["const getChunkNamesToLoad = (path) => ", "const getChunkNamesToLoad = remembering((path) => "],
  [
    ".flatMap(([, routeChunks]) => Object.values(flat(routeChunks)));",
    ".flatMap(([, routeChunks]) => Object.values(flat(routeChunks))));",
  ],
  [
    "import prefetchHelper from './prefetch';",
    `const prefetchFile = async (href) =>
  document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href }));`,
  ],
  [
    "const fetched = new Set();",
    "const prefetchHelper = remembering(prefetchFile);\nconst fetched = new Set();",
  ],
] as const;

/**
 * The module that loads pages beforehand, so that it takes one page at a time while the browser is idle, and asks for
 * each file once. Old browsers, which would need another way of asking, load a page when it is opened.
 *
 * @throws if the module has another shape than in Docusaurus 3.10.
 */
export function prefetchingWhenIdle(source: string): string {
  const edited = edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) {
      throw new Error(
        "the module that prefetches pages has another shape than in Docusaurus 3.10: fix plugins/lean-scripts",
      );
    }
    return text.replace(from, to);
  }, source);
  return `import { remembering, whenIdle } from "@site/src/prefetch.ts";\n${edited}`;
}

export { prefetchingWhenIdle as default };
