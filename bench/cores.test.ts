import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { coresOfProcess, pin, placesOf, readCores } from "./cores.ts";

test("a list of cores is read as Linux writes it", () => {
  expect(readCores("0-2,5")).toEqual([0, 1, 2, 5]);
  expect(readCores("7")).toEqual([7]);
});

test("one core against two needs two more for load and database, and says so", () => {
  expect(placesOf([2, 3, 5, 6])).toEqual({ one: [2], two: [2, 3], others: [5, 6] });
  expect(placesOf([0, 1])).toBe(
    "needs 4 cores, two for the service and two for load and database, and here are 2 cores",
  );
  expect(placesOf([3])).toContain("here is 1 core");
  expect(placesOf(null)).toContain("does not show");
});

test.runIf(process.platform === "linux")(
  "a process is pinned with what it has started",
  async () => {
    const [core = 0] = coresOfProcess() ?? [];
    const child = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [printed] = await once(child.stdout, "data");
      pin(Number(child.pid), [core]);
      for (const pid of [child.pid, Number(printed)]) {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        expect(status).toMatch(new RegExp(`^Cpus_allowed_list:\\s+${core}$`, "m"));
      }
      process.kill(Number(printed));
    } finally {
      child.kill("SIGKILL");
    }
  },
);
