import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, expect, test } from "vitest";
import { createSessions } from "./http-sessions.ts";

let open = 0;
const sessions = createSessions(() => {
  const server = new McpServer({ name: "x", version: "1" }, { capabilities: { tools: {} } });
  open += 1;
  server.server.onclose = () => {
    open -= 1;
  };
  return server;
});
afterEach(() => sessions.close());

async function send(message: object, session?: string): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  const answer = await sessions.fetch(
    new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }),
  );
  await answer.text();
  return answer;
}

const begin = () =>
  send({
    method: "initialize",
    params: {
      ...{ protocolVersion: "2025-06-18", capabilities: {} },
      clientInfo: { name: "a test", version: "1" },
    },
  });

test("of too many sessions, the one that was used longest ago ends", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 32; i++) ids.push((await begin()).headers.get("mcp-session-id") ?? "");
  expect(new Set(ids).size).toBe(32);
  const [first, second] = ids;
  expect((await send({ method: "ping" }, first)).status).toBe(200);
  await begin();
  expect(open).toBe(32);
  expect((await send({ method: "ping" }, second)).status).toBe(404);
  expect((await send({ method: "ping" }, first)).status).toBe(200);
});

test("a request that begins no session leaves nothing behind", async () => {
  const before = open;
  expect((await send({ method: "ping" })).status).toBe(400);
  expect((await send({ method: "ping" }, "nobody's")).status).toBe(404);
  expect(open).toBe(before);
});
