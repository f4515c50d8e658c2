import { run } from "./program.ts";

// A reader that stops early, such as `head`, is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

// Not `process.exit`, which would lose output that a pipe has not read yet.
process.exitCode = await run(process.argv.slice(2), process);
