import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A server in the manner of OpenAI, which streams, stalls and fails as a test says. */
export type ModelServer = {
  /** As KEYHEARTH_ASSISTANT_URL has it. */
  url: string;
  /** What was asked, in order. */
  asked: Asked[];
  /** How the next questions are answered. */
  behave(behaviour: Behaviour): void;
  stop(): Promise<void>;
};

export type Asked = {
  path: string;
  authorization: string | undefined;
  model: string;
  messages: { role: string; content: string }[];
  /** Whether the other side went away before the end. */
  isLeft: boolean;
};

export type Behaviour = (response: ServerResponse, asked: Asked) => Promise<void> | void;

export async function startModelServer(): Promise<ModelServer> {
  const asked: Asked[] = [];
  let behave: Behaviour = saying("Hello.");
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request));
    const { url: path = "", headers } = request;
    const one: Asked = { path, authorization: headers.authorization, ...body, isLeft: false };
    asked.push(one);
    response.on("close", () => {
      one.isLeft = !response.writableFinished;
    });
    await behave(response, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    behave(next) {
      behave = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Streams these pieces, with pauses between them, and ends as the protocol says. */
export function saying(...pieces: string[]): Behaviour {
  return async (response) => {
    begin(response);
    for (const piece of pieces) {
      send(response, piece);
      await delay(5);
    }
    end(response);
  };
}

export function begin(response: ServerResponse) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.flushHeaders();
}

export function send(response: ServerResponse, content: string) {
  const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: null }] };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

export function end(response: ServerResponse) {
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
