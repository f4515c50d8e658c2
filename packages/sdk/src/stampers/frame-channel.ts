import { Cancelled, KeyhearthError, Unavailable, Unsupported } from "../errors/errors.ts";

// One frame in a page, and the requests that it answers over a port.

/** The frame refused a request; `message` is its sentence. Nothing is half done. */
export class FrameRefused extends KeyhearthError {
  override readonly name = "FrameRefused";
}

/** How long to wait for one answer, and what ends the wait. */
export type FrameWait = {
  /** In milliseconds. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

type Pending = {
  resolve(value: unknown): void;
  reject(error: KeyhearthError): void;
};

export class FrameChannel {
  readonly #frame: HTMLIFrameElement;
  readonly #port: MessagePort;
  readonly #pending = new Map<string, Pending>();
  readonly #onKey: (publicKey: string) => void;

  private constructor(
    frame: HTMLIFrameElement,
    port: MessagePort,
    onKey: (publicKey: string) => void,
  ) {
    this.#frame = frame;
    this.#port = port;
    this.#onKey = onKey;
    port.onmessage = ({ data }) => this.#receive(data);
  }

  /** Puts a frame into the container, and resolves once it has announced its key. If it does not, it is removed again. */
  static async open(
    {
      url,
      container,
      id,
      title,
    }: { url: URL; container: Element; id: string | undefined; title: string | undefined },
    {
      keyTtlMs,
      onKey,
      ...wait
    }: FrameWait & {
      keyTtlMs: number | undefined;
      onKey: (publicKey: string) => void;
    },
  ): Promise<FrameChannel> {
    const document = container.ownerDocument;
    const frame = document.createElement("iframe");
    // No forms, windows, downloads or navigation of the page.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
    frame.allow = "clipboard-write";
    if (id !== undefined) frame.id = id;
    if (title !== undefined) frame.title = title;
    frame.src = url.href;
    const { port1, port2 } = new MessageChannel();
    let channel: FrameChannel | undefined;
    try {
      await settle(wait, `The frame ${url.href} announced no key`, (resolve) => {
        channel = new FrameChannel(frame, port1, (publicKey) => {
          onKey(publicKey);
          resolve(undefined);
        });
        frame.addEventListener(
          "load",
          () => {
            const message = {
              type: "TURNKEY_INIT_MESSAGE_CHANNEL",
              dangerouslyOverrideIframeKeyTtl: keyTtlMs,
            };
            // A frame that may not be embedded here has another origin, and gets nothing.
            frame.contentWindow?.postMessage(message, url.origin, [port2]);
          },
          { once: true },
        );
        container.append(frame);
      });
    } catch (error) {
      port1.close();
      frame.remove();
      throw error;
    }
    // Made above, before the promise resolved.
    return channel as FrameChannel;
  }

  /** Sends a request, and resolves with the value of its answer. */
  ask(type: string, payload: object, wait: FrameWait): Promise<unknown> {
    const requestId = crypto.randomUUID();
    const answer = settle(wait, `The frame did not answer ${type}`, (resolve, reject) => {
      this.#pending.set(requestId, { resolve, reject });
      this.#port.postMessage({ ...payload, type, requestId });
    });
    return answer.finally(() => this.#pending.delete(requestId));
  }

  /** Removes the frame. What still waits for an answer is rejected. */
  close() {
    this.#port.close();
    this.#frame.remove();
    for (const { reject } of [...this.#pending.values()]) {
      reject(
        new Cancelled("The frame was removed before it answered. Call init again", {
          code: "CANCELLED",
        }),
      );
    }
    this.#pending.clear();
  }

  #receive(data: unknown) {
    const { type, value, requestId } = Object(data);
    if (type === "PUBLIC_KEY_READY" && requestId === undefined) {
      if (typeof value === "string") this.#onKey(value);
      return;
    }
    const pending = this.#pending.get(requestId);
    if (type === "ERROR") {
      const sentence = typeof value === "string" ? value : "the frame gave no reason";
      pending?.reject(
        new FrameRefused(`The frame refused: ${sentence}`, { code: "FRAME_REFUSED" }),
      );
    } else pending?.resolve(value);
  }
}

/** A promise that ends with its time or its signal at the latest. */
function settle(
  { timeoutMs = 0, signal }: FrameWait,
  late: string,
  begin: (resolve: (value: unknown) => void, reject: (error: KeyhearthError) => void) => void,
): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    const onAbort = () => {
      const cause = signal?.reason;
      finish(() =>
        reject(new Cancelled(`${late}: its signal aborted`, { code: "ABORTED", cause })),
      );
    };
    const timer = setTimeout(() => {
      const advice =
        "Look into the browser's console: the frame may not be embedded here, or its address is wrong";
      const message = `${late} within ${timeoutMs} ms. ${advice}`;
      finish(() => reject(new Unavailable(message, { code: "TIMEOUT" })));
    }, timeoutMs);
    function finish(end: () => void) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      end();
    }
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    begin(
      (value) => finish(() => resolve(value)),
      (error) => finish(() => reject(error)),
    );
  });
}

/** Where this runs must have a document to put a frame into. */
export function assertBrowser(): void {
  if (typeof document !== "undefined" && typeof MessageChannel !== "undefined") return;
  throw new Unsupported(
    "There is no document here to put a frame into. Call init in the browser, for example in an effect of a component",
    { code: "UNSUPPORTED" },
  );
}
