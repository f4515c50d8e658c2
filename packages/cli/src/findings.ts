import type { Surroundings } from "./command.ts";
import { InputError } from "./errors.ts";
import { failureOf } from "./failures.ts";
import { columns, plain, type Report } from "./output.ts";

type Status = "ok" | "warning" | "error";

/** What was looked at, and what is wrong about it with the remedy. */
export type Finding = { readonly check: string; readonly status: Status; readonly message: string };

const COLORS = { ok: "green", warning: "yellow", error: "red" } as const;

/** The findings as a table. An error among them is exit code 1. */
export function findingsReport(findings: readonly Finding[]): Report {
  return {
    exitCode: findings.some(({ status }) => status === "error") ? 1 : 0,
    json: { findings },
    text: (paint) =>
      columns(
        findings.map(({ check, status, message }) => [
          paint(COLORS[status], status),
          check,
          plain(message),
        ]),
      ).join("\n"),
  };
}

/** Does something and notes how it went. Undefined if it failed. What needs no word if it went well says null. */
export async function tried<Found>(
  findings: Finding[],
  check: string,
  { asked }: Surroundings,
  attempt: () => Promise<[Found, message: string | null]>,
): Promise<Found | undefined> {
  try {
    const [found, message] = await attempt();
    if (message !== null) findings.push({ check, status: "ok", message });
    return found;
  } catch (error) {
    const known = error instanceof InputError ? error : await failureOf(error, asked);
    if (known === undefined) throw error;
    findings.push({ check, status: "error", message: known.message });
    return undefined;
  }
}
