import type { Fetch } from "../../connection/request.ts";
import { codes, Eip1193Error } from "./errors.ts";

/** How to reach the node of a chain. */
export type NodeOptions = { rpcUrl: string; fetch: Fetch; timeoutMs: number };

/** The node could not be reached, or what answered is not a node. */
export class NodeUnreachable extends Error {
  override readonly name = "NodeUnreachable";
}

/** Calls a method of a node by JSON-RPC. Throws an error of the node with its code and data. */
export async function callNode(
  { rpcUrl, fetch, timeoutMs }: NodeOptions,
  method: string,
  params: readonly unknown[] | object = [],
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { status, answer } = await post(rpcUrl, body, { fetch, timeoutMs });
  if (isObject(answer) && isObject(answer.error)) {
    const { code, message, data } = answer.error;
    throw new Eip1193Error(
      typeof code === "number" ? code : codes.internal,
      typeof message === "string" ? message : `The node refused ${method}`,
      { data },
    );
  }
  if (isObject(answer) && answer.result !== undefined) return answer.result;
  if (status === 429) {
    throw new Eip1193Error(codes.limitExceeded, "The node answered 429: too many requests");
  }
  throw new NodeUnreachable(`The node answered ${status}, but not with JSON-RPC. Check its rpcUrl`);
}

async function post(
  url: string,
  body: string,
  { fetch, timeoutMs }: { fetch: Fetch; timeoutMs: number },
): Promise<{ status: number; answer: unknown }> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  let text: string;
  let status: number;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      // A redirect could lead to where no node may be asked, such as an address without https.
      redirect: "manual",
      signal: controller.signal,
    });
    text = await response.text();
    status = response.status;
  } catch (cause) {
    // The URL is left out, because it may have an access key.
    throw new NodeUnreachable("The chain's node could not be reached. Check its rpcUrl", { cause });
  } finally {
    clearTimeout(timer);
  }
  try {
    return { status, answer: JSON.parse(text) };
  } catch {
    return { status, answer: undefined };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
