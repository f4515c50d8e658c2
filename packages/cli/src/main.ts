// The command line without the service: what `@keyhearth/cli` and a clone run.

import { run } from "./program.ts";
import { findService, isServiceProgram, servicePrograms } from "./service-programs.ts";
import { allowEarlyEnd } from "./streams.ts";

const args = process.argv.slice(2);
const service = findService(import.meta.url);

if (service !== undefined && isServiceProgram(args[0])) {
  await import(service);
} else {
  allowEarlyEnd();
  // Not `process.exit`, which would lose output that a pipe has not read yet.
  process.exitCode = await run(args, process, service === undefined ? [] : servicePrograms);
}
