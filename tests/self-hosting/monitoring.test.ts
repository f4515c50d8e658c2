import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { newDataDirectory } from "../start/data-directory.ts";
import { type Service, startService } from "../start/process.ts";

// The alerts and the dashboard of the site, and what `/metrics` of a running service shows.

const website = fileURLToPath(new URL("../../apps/website/", import.meta.url));
const snippet = (name: string) => join(website, "snippets/self-hosting", name);

type Rule = { alert: string; expr: string; annotations: { summary: string } };
const rules: Rule[] = parse(readFileSync(snippet("alerts.yml"), "utf8")).groups[0].rules;

type Panel = { title: string; targets: { expr: string }[] };
const dashboard: { panels: Panel[] } = JSON.parse(
  readFileSync(snippet("grafana-dashboard.json"), "utf8"),
);

const dataDirectory = await newDataDirectory("monitoring");
let service: Service;
let metrics: string;

beforeAll(async () => {
  service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
  // A series of a label exists once something was counted.
  await fetch(`${service.url}/readyz`);
  metrics = await (await fetch(`${service.url}/metrics`)).text();
}, 120_000);

afterAll(async () => {
  await service?.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const SUFFIX = /_(bucket|sum|count)$/;

/** The metrics of an expression, without the suffixes of histograms. */
function metricsIn(expression: string): string[] {
  const found = expression.match(/\b(keyhearth|nodejs|process)_\w+/g) ?? [];
  return found.map((name) => name.replace(SUFFIX, ""));
}

const exists = (name: string) => metrics.includes(`\n# TYPE ${name} `);

test("every metric of an alert is one that the service shows", () => {
  for (const { alert, expr } of rules) {
    const named = metricsIn(expr);
    expect([alert, named.length > 0 || expr.startsWith("up{")]).toEqual([alert, true]);
    expect([alert, named.filter((name) => !exists(name))]).toEqual([alert, []]);
  }
});

test("every panel of the dashboard shows metrics that the service has", () => {
  expect(dashboard.panels.length).toBeGreaterThan(10);
  for (const { title, targets } of dashboard.panels) {
    const named = targets.flatMap(({ expr }) => metricsIn(expr));
    expect([title, named.length >= targets.length]).toEqual([title, true]);
    expect([title, named.filter((name) => !exists(name))]).toEqual([title, []]);
  }
});

test("a service that works is ready in both parts, and shows its disk", () => {
  expect(metrics).toContain('keyhearth_ready{part="database"} 1');
  expect(metrics).toContain('keyhearth_ready{part="signer"} 1');
  expect(Number(/^keyhearth_data_disk_free_bytes (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(1e6);
});

test("the page says of each alert what it means and what to do, and of no other", () => {
  const page = readFileSync(join(website, "docs/self-hosting/monitoring.mdx"), "utf8");
  const told = [...page.matchAll(/^\| `(Keyhearth\w+)` \| (.+?) \| (.+?) \|$/gm)];
  expect(told.map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
});

function hasPromtool(): boolean {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

// Of Debian's package `prometheus`.
describe.runIf(hasPromtool())("promtool", () => {
  const promtool = (...args: string[]) => execFileSync("promtool", args, { encoding: "utf8" });

  test("takes the rules", () => {
    expect(promtool("check", "rules", snippet("alerts.yml"))).toContain(`${rules.length} rules`);
  });

  test("fires those for a signer that is lost, a standby that falls behind, and errors, and no others", () => {
    const output = promtool("test", "rules", join(import.meta.dirname, "alerts.promtool.yml"));
    expect(output).toContain("SUCCESS");
  });
});
