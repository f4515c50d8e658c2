import { ApiError, shorten } from "@keyhearth/engine/errors";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import type { McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Context } from "hono";
import * as z from "zod";
import type { Host } from "../host/host.ts";
import {
  type ClientAddress,
  createAddressLimit,
  createRateLimit,
  type NewRateLimit,
} from "../host/rate-limit.ts";
import { createHeldBytes, type HeldBytes } from "../http/held-bytes.ts";
import { readObject } from "../http/json-body.ts";
import { endOfTurn } from "../http/newcomers.ts";
import { assertFromOwnPage } from "../http/own-pages.ts";
import { methodNotAllowed } from "../http/routes.ts";
import { once } from "../once.ts";
import { type Env, headerOf, socketAddressOf } from "../wire/request.ts";
import { LANGUAGES, type Library, type Wanted } from "./library.ts";

/**
 * The documentation for agents: the Model Context Protocol over streamable HTTP, without sessions. Its tools only read
 * what the site shows to everybody.
 */
export type Mcp = (c: Context<Env>) => Promise<Response>;

const MAX_REQUEST_BYTES = 16 * 1024;

/** Of one address. An agent that answers a question calls a few tools, one after the other. */
export const CALLS = { perSecond: 2, burst: 40 };

/** About 8,000 tokens. A page that is longer is read in parts. */
const PART = 24_000;
const LONGEST_PASSAGE = 1200;

type McpOptions = {
  host: Pick<Host, "now" | "log">;
  library: Library;
  version: string;
  publicUrl: string;
  clientAddress: ClientAddress;
  newRateLimit?: NewRateLimit;
  held?: HeldBytes;
};

export function createMcp(options: McpOptions): Mcp {
  const { host, publicUrl, clientAddress, newRateLimit = createRateLimit } = options;
  const { held = createHeldBytes() } = options;
  const calls = createAddressLimit({ name: "mcp-address", ...CALLS }, newRateLimit);
  const handler = once(() => openHandler(options));
  return async (c) => {
    // A page of another site must not ask in its visitor's name.
    if (headerOf(c, "origin") !== undefined) {
      assertFromOwnPage(c, publicUrl, "of pages, only those of this site may use `/mcp`");
    }
    if (c.req.method !== "POST") {
      throw methodNotAllowed(
        c,
        "POST",
        "`/mcp` is for agents, which send the Model Context Protocol as POST",
      );
    }
    const address = clientAddress(socketAddressOf(c), headerOf(c, "x-forwarded-for"));
    for (const [name, value] of Object.entries(calls.take(address, host.now()))) {
      c.header(name, value);
    }
    // One message: a list of them would be many calls for the price of one.
    const message = await readObject(c, { address, held, maxBytes: MAX_REQUEST_BYTES });
    // What follows waits for the thread that searches.
    endOfTurn(c.env?.incoming)?.();
    const { fetch } = await handler();
    // A client may send any name of a host, also one that is none.
    const headers = new Headers(c.req.raw.headers);
    headers.set(SENDER, siteOf(address));
    const { signal } = c.req.raw;
    return fetch(new Request("http://localhost/mcp", { method: "POST", headers, signal }), {
      parsedBody: message,
    });
  };
}

/** The library of the protocol is loaded when the first agent comes. */
async function openHandler({
  host,
  library,
  version,
  publicUrl,
}: McpOptions): Promise<McpHttpHandler> {
  const { createMcpHandler, McpServer } = await import("@modelcontextprotocol/server");
  return createMcpHandler(
    ({ requestInfo }) => {
      const sender = requestInfo?.headers.get(SENDER) ?? "";
      const server = new McpServer(
        { name: "keyhearth-docs", title: "Keyhearth documentation", version },
        { instructions: INSTRUCTIONS },
      );
      const signal = requestInfo?.signal;
      registerTools(server, { library, publicUrl, host, sender, signal });
      return server;
    },
    {
      // Nothing here changes while an agent listens.
      maxSubscriptions: 0,
      onerror: (err) => host.log.debug({ err }, "a message of an agent was refused"),
    },
  );
}

const INSTRUCTIONS =
  "The documentation of this Keyhearth service. Search it first, then read the page or section that answers the question, and cite its address.";

/** Tells the tools who asks. Whatever a client sends under this name is replaced. */
const SENDER = "keyhearth-sender";

const readOnly = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

type Tools = Pick<McpOptions, "library" | "publicUrl" | "host"> & Pick<Wanted, "sender" | "signal">;

function registerTools(server: McpServer, tools: Tools) {
  server.registerTool(
    "search_docs",
    {
      title: "Search the documentation",
      description:
        "Finds sections of the documentation: concepts, guides, every endpoint, field and error. Takes names such as create_wallet, texts of errors, or a few words, and returns the best sections first, with their address and text.",
      annotations: readOnly,
      inputSchema: z.object({
        query: z.string().trim().min(2).max(200).describe("Names, words, or the text of an error."),
        language: z.enum(LANGUAGES).default("en").describe("Of the pages."),
        limit: z.int().min(1).max(10).default(5).describe("The most sections to return."),
      }),
    },
    ({ query, language, limit }) =>
      answerOf(tools, async () => {
        const found = await tools.library.find(query, {
          language,
          most: limit,
          sender: tools.sender,
          signal: tools.signal,
        });
        if (found.length === 0) return `Nothing was found for ${JSON.stringify(query)}.`;
        return found
          .map(({ titles, path, text }) =>
            [`## ${titles.join(" > ")}`, `${tools.publicUrl}${path}`, cut(text)].join("\n\n"),
          )
          .join("\n\n");
      }),
  );
  server.registerTool(
    "read_page",
    {
      title: "Read a page of the documentation",
      description:
        "Reads a page as Markdown, or one of its sections if the path has an anchor that search_docs returned. A long text comes in parts.",
      annotations: readOnly,
      inputSchema: z.object({
        path: z
          .string()
          .max(300)
          .describe("Such as /concepts/wallets or /api#create_wallet, or the whole address."),
        from: z.int().min(0).default(0).describe("Where to go on, as the part before said."),
      }),
    },
    ({ path, from }) =>
      answerOf(tools, async () => {
        const asked = pathIn(path, tools.publicUrl);
        const page = asked && (await tools.library.read(asked));
        if (!page) {
          throw new ApiError(
            "NOT_FOUND",
            "ROUTE_NOT_FOUND",
            `there is no page ${JSON.stringify(shorten(path))}; search_docs finds pages, and /llms.txt lists them`,
          );
        }
        const [, anchor = ""] = page.path.split("#", 2);
        const isAstray = page.isWhole && anchor !== "";
        const notice = `[No heading is named “${shorten(anchor)}”, so this is the whole page.]\n\n`;
        return partOf(isAstray ? `${notice}${page.text}` : page.text, from);
      }),
  );
}

/** What a tool says. What is wrong with a call is for the agent to read, and a bug is not. */
async function answerOf({ host }: Tools, work: () => Promise<string>) {
  try {
    return { content: [{ type: "text" as const, text: await work() }] };
  } catch (error) {
    if (!(error instanceof ApiError)) host.log.error({ err: error }, "a tool failed");
    const text = error instanceof ApiError ? error.message : "internal error; try again later";
    return { isError: true, content: [{ type: "text" as const, text }] };
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_PASSAGE ? text : `${text.slice(0, LONGEST_PASSAGE).trimEnd()} …`;
}

/** A path of this site, also from an address of it. */
function pathIn(path: string, publicUrl: string): string | null {
  const bare = path.trim().startsWith(publicUrl)
    ? path.trim().slice(publicUrl.length)
    : path.trim();
  const url = URL.parse(bare === "" ? "/" : bare, publicUrl);
  if (!url || url.origin !== new URL(publicUrl).origin) return null;
  return `${url.pathname.replace(/\.md$/, "")}${url.hash}`;
}

function partOf(text: string, from: number): string {
  if (text.length <= PART && from === 0) return text;
  if (from >= text.length) return `The text has ${text.length} characters.`;
  const part = text.slice(from, from + PART);
  const next = from + part.length;
  const rest = next < text.length ? `\n\n[The text goes on. Read it with "from": ${next}.]` : "";
  return `${part}${rest}`;
}
