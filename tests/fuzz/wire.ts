import { Agent, request } from "node:http";
import type { TestKey } from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";

/** A request in the bytes that are sent. */
export type Wire = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
};

export type Reply = { status: number; headers: Record<string, unknown>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Undefined if no answer arrived. An idle connection may have been closed just as it was used, so a
 * request without an answer is sent once more, on a connection of its own.
 */
export async function send(url: string, wire: Wire): Promise<Reply | undefined> {
  return (await sendOnce(url, wire, agent)) ?? sendOnce(url, wire, false);
}

function sendOnce(
  url: string,
  { method, path, headers, body }: Wire,
  agent: Agent | false,
): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const options = { hostname, port, path, method, headers, agent, timeout: 60_000 };
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => resolve(undefined));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in a minute")));
    outgoing.on("error", () => resolve(undefined));
    outgoing.end(body);
  });
}

function stamp({ privateKey }: TestKey, body: Uint8Array): string {
  const scheme = "SIGNATURE_SCHEME_TK_API_P256" as const;
  return createApiKeyStamp({ privateKey: decodeHex(privateKey), scheme }, body);
}

export function wireOf(path: string, body: Uint8Array, key: TestKey): Wire {
  const headers = { "Content-Type": "application/json", "X-Stamp": stamp(key, body) };
  return { method: "POST", path, headers, body };
}

/** A request as a file, to send it again. */
export function encodeWire(wire: Wire): string {
  return JSON.stringify({ ...wire, body: Buffer.from(wire.body).toString("base64") }, null, 2);
}

export function decodeWire(text: string): Wire {
  const wire = JSON.parse(text);
  return { ...wire, body: new Uint8Array(Buffer.from(wire.body, "base64")) };
}
