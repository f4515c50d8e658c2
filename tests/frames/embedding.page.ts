import type { Connection } from "@keyhearth/sdk";
import { IframeStamper } from "@keyhearth/sdk/stampers/iframe";
import { IframeStamper as Stamper211 } from "@turnkey/iframe-stamper";
import { IframeStamper as Stamper20 } from "turnkey-iframe-stamper-2-0";
import { IframeStamper as Stamper23 } from "turnkey-iframe-stamper-2-3";

import { showWallet } from "../../apps/website/snippets/browser/frame-export.ts";
import { openImport } from "../../apps/website/snippets/browser/frame-import.ts";
import { logInByFrame, openLoginFrame } from "../../apps/website/snippets/browser/frame-login.ts";

// What runs in the page of an app that embeds frames: the unmodified stampers, and an attacker's own messages.

type Stamper = {
  init(keyTtl?: number): Promise<string | null>;
  publicKey(): string | null;
  clear(): void;
};

const stampers = { "2.0.0": Stamper20, "2.3.0": Stamper23, "2.11.1": Stamper211 };

export type Release = keyof typeof stampers;

let stamper: Stamper | undefined;
let ours: IframeStamper | undefined;

/** One message, and what came back: an answer with its id, or an announcement. */
type Message = { type?: string; value?: unknown; requestId?: string };

type Raw = {
  frame: HTMLIFrameElement;
  port: MessagePort;
  messages: Message[];
  /** What came by window messages. */
  windowMessages: Message[];
};

let raw: Raw | undefined;

let loggingIn: IframeStamper;
let connection: Connection;
let finishImport: (walletName: string) => Promise<string>;

/** The programs of the pages about frames. */
const samples = {
  async open(url: string): Promise<string> {
    loggingIn = await openLoginFrame(url, placeOf("login"));
    return loggingIn.publicKey;
  },
  async logIn(bundle: string, service: { baseUrl: string; organizationId: string }) {
    connection = await logInByFrame(loggingIn, bundle, service);
  },
  async show(walletId: string, url: string) {
    const hide = await showWallet(connection, walletId, { url, container: placeOf("secret") });
    return String(typeof hide);
  },
  async startImport(userId: string, url: string) {
    finishImport = await openImport(connection, userId, { url, container: placeOf("import") });
  },
  finishImport: (walletName: string) => finishImport(walletName),
};

function placeOf(id: string): Element {
  const place = document.createElement("div");
  place.id = id;
  document.body.append(place);
  return place;
}

export const embedding = {
  samples,

  /** Embeds one frame by a stamper. Returns the key that it announces. */
  async open(release: Release, iframeUrl: string, keyTtl?: number): Promise<string | null> {
    const iframeContainer = document.createElement("div");
    document.body.append(iframeContainer);
    const Kind = stampers[release];
    stamper = new Kind({ iframeUrl, iframeContainer, iframeElementId: "frame" });
    return await stamper.init(keyTtl);
  },

  /** Calls a method of the stamper. A refusal is what it throws, as text. */
  async call(method: string, ...args: unknown[]): Promise<unknown> {
    const methods = stamper as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    try {
      return await methods[method]?.(...args);
    } catch (error) {
      return { refused: error instanceof Error ? error.message : String(error) };
    }
  },

  /** The same with the stamper of the SDK. */
  async openOurs(url: string, options: { timeoutMs?: number; abortMs?: number } = {}) {
    const { abortMs, ...others } = options;
    ours?.clear();
    ours = new IframeStamper({ url, container: () => document.body, id: "frame", ...others });
    const signal = abortMs === undefined ? undefined : AbortSignal.timeout(abortMs);
    return this.outcomeOf(ours.init({ signal }));
  },

  callOurs(method: string, ...args: unknown[]): Promise<unknown> {
    const methods = ours as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    return this.outcomeOf(methods[method]?.(...args) ?? Promise.resolve(null));
  },

  ourKey: () => ours?.publicKey ?? null,

  frames: () => document.querySelectorAll("iframe").length,

  /** As a component of React in its strict mode: the first effect ends before its frame is there. */
  async openTwice(url: string): Promise<unknown[]> {
    ours = new IframeStamper({ url, container: document.body, id: "frame" });
    const first = this.outcomeOf(ours.init());
    ours.clear();
    return [await this.outcomeOf(ours.init()), await first];
  },

  /** Removes the frame while it has not answered. */
  clearWhileAsked(): Promise<unknown> {
    const asked = this.outcomeOf(ours?.stamp("{}") ?? Promise.resolve(null));
    ours?.clear();
    return asked;
  },

  /** A value, or the class, the code and the message of an error. */
  async outcomeOf(promise: Promise<unknown>): Promise<unknown> {
    try {
      return (await promise) ?? null;
    } catch (error) {
      const { name, message, code } = error as Error & { code?: string };
      return { name, message, code };
    }
  },

  publicKey: () => stamper?.publicKey() ?? null,

  clear() {
    ours?.clear();
    ours = undefined;
    stamper?.clear();
    raw?.frame.remove();
    raw = undefined;
  },

  /** Embeds a frame without a stamper, and hands it a port. Returns the first key that it announces, or null after a while. */
  async openRaw(url: string, { hasPort = true, sandbox = "allow-scripts allow-same-origin" } = {}) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", sandbox);
    frame.id = "frame";
    frame.src = url;
    const { port1, port2 } = new MessageChannel();
    const now: Raw = { frame, port: port1, messages: [], windowMessages: [] };
    raw = now;
    port1.onmessage = ({ data }) => void now.messages.push(data);
    window.addEventListener("message", ({ data, source }) => {
      if (source === frame.contentWindow) now.windowMessages.push(data);
    });
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    document.body.append(frame);
    await loaded;
    const from = hasPort ? now.messages : now.windowMessages;
    if (hasPort) this.offerPort(port2);
    return this.waitFor(() => from.find(({ type }) => type === "PUBLIC_KEY_READY"));
  },

  /** Hands over a port as stampers do. */
  offerPort(port: MessagePort, more: object = {}) {
    const message = { type: "TURNKEY_INIT_MESSAGE_CHANNEL", ...more };
    raw?.frame.contentWindow?.postMessage(message, "*", [port]);
  },

  /** Offers another port, and says whether anything comes out of it. */
  async offerSecondPort(): Promise<Message[]> {
    const { port1, port2 } = new MessageChannel();
    const messages: Message[] = [];
    port1.onmessage = ({ data }) => void messages.push(data);
    this.offerPort(port2);
    port1.postMessage({ type: "GET_EMBEDDED_PUBLIC_KEY", requestId: "second" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    return messages;
  },

  /** Sends one message by the port, and returns its answer, or null after a while. */
  async ask(message: Record<string, unknown>): Promise<Message | null> {
    const requestId = crypto.randomUUID();
    raw?.port.postMessage({ requestId, ...message });
    return this.waitFor(() => raw?.messages.find((each) => each.requestId === requestId));
  },

  /** Sends many at once. Returns the types of their answers. */
  async flood(message: Record<string, unknown>, count: number): Promise<string[]> {
    const ids: string[] = Array.from({ length: count }, () => crypto.randomUUID());
    for (const requestId of ids) raw?.port.postMessage({ ...message, requestId });
    const answers = () => raw?.messages.filter((each) => ids.includes(each.requestId ?? "")) ?? [];
    await this.waitFor(() => (answers().length === count ? {} : undefined));
    return answers().map(({ type, value }) => (type === "ERROR" ? String(value) : String(type)));
  },

  /** By a window message, as the stampers before 2.1.0. */
  async askByWindow(message: unknown): Promise<Message | null> {
    const before = raw?.windowMessages.length ?? 0;
    raw?.frame.contentWindow?.postMessage(message, "*");
    return this.waitFor(() => raw?.windowMessages.at(before));
  },

  /** Another page, which this one frames too, sends the frame a message. Returns what it got back. */
  async askFromSibling(message: unknown): Promise<unknown[]> {
    const sibling = document.createElement("iframe");
    document.body.append(sibling);
    const got: unknown[] = [];
    const inside = sibling.contentWindow as Window & typeof globalThis;
    inside.addEventListener("message", ({ data }) => void got.push(data));
    // The caller's window is the source of a message, so the function must be one of the sibling.
    const send = new inside.Function("frame", "message", 'frame.postMessage(message, "*")');
    send(raw?.frame.contentWindow, message);
    await new Promise((resolve) => setTimeout(resolve, 300));
    sibling.remove();
    return got;
  },

  messages: () => ({ port: raw?.messages ?? [], window: raw?.windowMessages ?? [] }),

  async waitFor<T>(find: () => T | undefined, ms = 3000): Promise<T | null> {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return null;
  },
};

declare global {
  interface Window {
    embedding: typeof embedding;
  }
}

window.embedding = embedding;
