import { EmulatorError } from "./errors.ts";
import type { EmulatorControl } from "./types.ts";

/** Controls an emulator of another process by HTTP. */
export function connect(url: string): EmulatorControl {
  const base = originOf(url);

  async function ask<Answer>(path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${base}${path}`, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: { "Content-Type": "application/json" },
    }).catch((cause: unknown) => {
      throw new EmulatorError("url", `no emulator answers at ${base}: start one there`, { cause });
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok && answer !== null) return answer as Answer;
    const { message } = Object(answer) as { message?: unknown };
    const isRefusal = typeof message === "string" && response.status !== 404;
    throw new EmulatorError(
      "url",
      isRefusal ? message : `what answers at ${base} is no emulator: it says ${response.status}`,
    );
  }

  return {
    url: base,
    createOrganization: (options = {}) => ask("/emulator/organizations", options),
    messages: (to) =>
      ask(`/mailbox/messages${to === undefined ? "" : `?to=${encodeURIComponent(to)}`}`),
    now: async () => (await ask<{ nowMs: number }>("/emulator/clock")).nowMs,
    moveClock: async (forwardMs) =>
      (await ask<{ nowMs: number }>("/emulator/clock", { forwardMs })).nowMs,
    reset: () => ask("/emulator/reset", {}),
  };
}

function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === "http:") return parsed.origin;
  throw new EmulatorError(
    "url",
    `\`${String(url).slice(0, 80)}\` is not the address of an emulator, such as http://localhost:3100`,
  );
}
