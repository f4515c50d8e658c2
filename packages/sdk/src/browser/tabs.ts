/** Why a session ended. */
export type EndReason = "expired" | "logged-out" | "revoked" | "lost";

const reasons: readonly unknown[] = ["expired", "logged-out", "revoked", "lost"];

/** Tells the other tabs of this origin that the session changed, and hears of it from them. */
export class Tabs {
  readonly #name: string;
  readonly #onChange: (reason: EndReason) => Promise<void>;
  #channel: BroadcastChannel | undefined;

  constructor(name: string, onChange: (reason: EndReason) => Promise<void>) {
    this.#name = `keyhearth:${name}`;
    this.#onChange = onChange;
  }

  open() {
    if (this.#channel || !globalThis.BroadcastChannel) return;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) =>
      this.#hear(reasons.includes(data) ? (data as EndReason) : "lost"); // one of the reasons
    // Browsers stop the timers of pages that nobody sees, and bring back pages as they were.
    globalThis.document?.addEventListener("visibilitychange", this.#onReturn);
    globalThis.addEventListener?.("pageshow", this.#onReturn);
  }

  close() {
    this.#channel?.close();
    this.#channel = undefined;
    globalThis.document?.removeEventListener("visibilitychange", this.#onReturn);
    globalThis.removeEventListener?.("pageshow", this.#onReturn);
  }

  /** Tells the other tabs that the session changed, and why it ended if it did. */
  tell(reason?: EndReason) {
    this.#channel?.postMessage(reason ?? "changed");
  }

  /** Runs `work` in one tab at a time. The others leave it to that tab. */
  async alone(work: () => Promise<void>): Promise<void> {
    const locks = globalThis.navigator?.locks;
    if (!locks) return work();
    await locks.request(this.#name, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
  }

  readonly #onReturn = () => {
    if (globalThis.document?.visibilityState !== "hidden") this.#hear("lost");
  };

  #hear(reason: EndReason) {
    // If the storage has failed, the next stamp says so.
    this.#onChange(reason).catch(() => {});
  }
}

/** A timer for any delay. Browsers call back at once if a delay is longer than about 25 days. */
export class Alarm {
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Replaces the earlier alarm. A failure of `ring` is ignored, because the next request fails too. */
  set(delayMs: number, ring: () => Promise<void>) {
    this.clear();
    const partMs = Math.min(Math.max(delayMs, 0), LONGEST_MS);
    const restMs = delayMs - partMs;
    this.#timer = setTimeout(() => {
      if (restMs > 0) return this.set(restMs, ring);
      ring().catch(() => {});
    }, partMs);
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const LONGEST_MS = 2 ** 31 - 1;
