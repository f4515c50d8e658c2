import type { SealedMessage } from "@keyhearth/engine/messages/message";
import type { Delivery } from "./delivery.ts";

/** What the host asks of the courier. Over a socket, each call and each answer is a line of JSON. */
export type Request = { call: "describe" } | { call: "deliver"; message: SealedMessage };

export type Answer =
  | { kind: "description"; publicKey: string; channels: Channel[] }
  | { kind: "delivery"; delivery: Delivery }
  | { kind: "error"; message: string };

export type Channel = "email" | "sms";

/** Larger than any message that the core makes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Collects lines from chunks. Returns false once a line is too long. */
export function createLineReader(onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let kept: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...kept, rest.subarray(0, end)]).toString("utf8");
      kept = [];
      size = 0;
      rest = rest.subarray(end + 1);
      if (line.length > MAX_LINE_BYTES) return false;
      onLine(line);
    }
    if (rest.length > 0) kept.push(rest);
    size += rest.length;
    return size <= MAX_LINE_BYTES;
  };
}
