// The command line in the packages with the service, whose launcher runs the programs of the service itself.

import { run } from "./program.ts";
import { servicePrograms } from "./service-programs.ts";
import { allowEarlyEnd } from "./streams.ts";

allowEarlyEnd();
process.exitCode = await run(process.argv.slice(2), process, servicePrograms);
