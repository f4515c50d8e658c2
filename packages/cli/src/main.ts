import { run } from "./program.ts";

// A reader that has seen enough, as `head` has, is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

// Not `process.exit`, which would cut off what a pipe has not taken yet.
process.exitCode = await run(process.argv.slice(2), process);
