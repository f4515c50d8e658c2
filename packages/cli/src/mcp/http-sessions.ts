import { randomUUID } from "node:crypto";
import {
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { LONGEST_REQUEST_BYTES } from "./bounds.ts";

const MOST_SESSIONS = 32;

type Sessions = {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
};

/**
 * Serves clients of the protocol's versions before 2026-07-28. They cancel a call by a message of its own, which only a
 * session connects with that call. Of too many sessions, the one that was used longest ago ends, and its client begins a
 * new one.
 */
export function createSessions(servers: McpServerFactory): Sessions {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const begin = async (request: Request): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: LONGEST_REQUEST_BYTES,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    });
    const server = await servers({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // A request that began no session has had its answer.
    if (transport.sessionId === undefined) await server.close();
    for (const [id, oldest] of open) {
      if (open.size <= MOST_SESSIONS) break;
      open.delete(id);
      await oldest.close();
    }
    return response;
  };

  return {
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return begin(request);
      const transport = open.get(id);
      if (transport === undefined) {
        const error = { code: -32_001, message: "there is no such session: begin a new one" };
        return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
      }
      open.delete(id);
      open.set(id, transport);
      return transport.handleRequest(request);
    },
    async close() {
      await Promise.all([...open.values()].map((transport) => transport.close()));
    },
  };
}
