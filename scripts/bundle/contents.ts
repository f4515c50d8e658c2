import type { Metafile } from "esbuild";

/** What a file of a bundle consists of, in bytes. */
export type Contents = Record<string, { bytes: number; modules: Record<string, number> }>;

/** What the files of a build consist of. */
export function contentsOf({ outputs }: Pick<Metafile, "outputs">): Contents {
  const files = Object.entries(outputs).map(([path, { bytes, inputs }]) => {
    const modules = Object.entries(inputs)
      .map(([module, { bytesInOutput }]) => [module, bytesInOutput] as const)
      .filter(([, size]) => size > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [path.split("/").at(-1) ?? "", { bytes, modules: Object.fromEntries(modules) }] as const;
  });
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
