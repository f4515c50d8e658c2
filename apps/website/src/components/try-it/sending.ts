import { type Activity, Connection, type Fetch, type Stamper } from "@keyhearth/sdk";
import type { SentRequest } from "./curl.ts";

/** A request and its answer, byte for byte. */
export type Exchange = SentRequest & {
  /** Null if nothing answered. */
  answer: { status: number; text: string } | null;
  milliseconds: number;
};

/** What came of a press of the button. Without an exchange, nothing was sent. */
export type Outcome = {
  exchange: Exchange | null;
  answer: Record<string, unknown> | null;
  error: unknown;
};

type Sender = { service: string; organizationId: string; stamper: Stamper };

/** Stamps and sends exactly this body, once: a reader wants to see the first refusal and not the third. */
export async function send(sender: Sender, path: string, body: string): Promise<Outcome> {
  let exchange: Exchange | null = null;
  const recording: Fetch = async (url, init) => {
    const startedAt = performance.now();
    const note = (answer: Exchange["answer"]) => {
      const milliseconds = Math.round(performance.now() - startedAt);
      exchange = { url, header: stampOf(init), body: String(init.body), answer, milliseconds };
    };
    note(null);
    const response = await fetch(url, init);
    note({ status: response.status, text: await response.clone().text() });
    return response;
  };
  try {
    const answer = await connect(sender, recording).request(path, body);
    return { exchange, answer, error: null };
  } catch (error) {
    return { exchange, answer: null, error };
  }
}

/** For requests that the page makes itself, such as reading an activity again. */
export function connect({ service, organizationId, stamper }: Sender, fetch?: Fetch): Connection {
  const own = fetch === undefined ? {} : { fetch };
  return new Connection({ baseUrl: service, organizationId, stamper, maxRetries: 0, ...own });
}

/** The activity in an answer, if it is that of a submission or shows one. */
export function activityIn(answer: Record<string, unknown> | null): Activity | null {
  const activity = answer?.activity;
  const isActivity =
    typeof activity === "object" && activity !== null && "id" in activity && "status" in activity;
  // The contract defines what an answer calls `activity`.
  return isActivity ? (activity as Activity) : null;
}

function stampOf({ headers }: RequestInit): { name: string; value: string } {
  const named = Object.entries({ ...headers }).find(([name]) => /^x-stamp/i.test(name));
  return { name: named?.[0] ?? "X-Stamp", value: String(named?.[1] ?? "") };
}
