import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

test("checker, evaluator and decisions are under 25 KB for a browser, and need nothing else", async () => {
  const files = ["evaluate", "decide", "advice/trace", "print"];
  const input = Object.fromEntries(
    files.map((name) => [name, fileURLToPath(new URL(`./${name}.ts`, import.meta.url))]),
  );
  const build = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await build.generate({ minify: true });
  await build.close();
  const chunks = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk : []));
  const outside = chunks.flatMap(({ imports }) => imports);
  expect(outside.filter((name) => !chunks.some(({ fileName }) => fileName === name))).toEqual([]);
  const size = gzipSync(chunks.map(({ code }) => code).join("\n")).length;
  expect(size).toBeLessThan(25_000);
});
