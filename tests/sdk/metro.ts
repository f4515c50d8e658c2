import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig, mergeConfig, runBuild } from "metro";
import { makeProject } from "./bundles.ts";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

/**
 * Bundles an app with the published SDK as React Native's tools do for a release on Android. `files` has the app's own
 * files by their paths, `index.js` among them.
 */
export async function bundleForHermes(
  directory: string,
  files: Record<string, string>,
): Promise<string> {
  await makeProject(directory);
  await writeFile(join(directory, "package.json"), JSON.stringify({ name: "app", private: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  const entry = join(directory, "index.js");
  const config = await loadConfig({ cwd: directory, maxWorkers: 1, resetCache: true });
  const built = await runBuild(
    mergeConfig(config, {
      projectRoot: directory,
      // Metro reads no files outside of these folders. The last two are for its own output.
      watchFolders: [
        directory,
        ...["@noble", "@scure", "@babel/runtime", "metro-runtime"].map((name) =>
          join(modules, name),
        ),
      ],
      cacheStores: [],
      reporter: { update() {} },
      resolver: {
        useWatchman: false,
        unstable_conditionNames: ["react-native", "require"],
        nodeModulesPaths: [modules],
      },
      transformer: {
        babelTransformerPath: fileURLToPath(new URL("metro-transformer.cjs", import.meta.url)),
      },
    }),
    // What the tools ask for if the engine is Hermes.
    {
      entry,
      platform: "android",
      dev: false,
      minify: true,
      unstable_transformProfile: "hermes-stable",
    },
  );
  return built.code;
}
