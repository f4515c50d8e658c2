import type { KeyFormat } from "@keyhearth/crypto/sealing/key-text";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential, UnexpectedAnswer } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { assertBrowser, FrameChannel, FrameRefused, type FrameWait } from "./frame-channel.ts";

export { FrameRefused, type FrameWait, type KeyFormat };

export type IframeStamperOptions = {
  /** The address of a frame, such as `https://frames.example.com/auth`. */
  url: string;
  /** Where the frame is put, or a function that finds it when `init` is called. */
  container: Element | (() => Element | null);
  /** The id of the element. By default it has none. */
  id?: string;
  /** What screen readers call the frame. */
  title?: string;
  /** How long one answer may take, in milliseconds. Default: 30 seconds. */
  timeoutMs?: number;
};

/** How a frame should look. The page about the frames lists the properties and their values. */
export type FrameSettings = {
  styles?: Record<string, string>;
  passphraseStyles?: Record<string, string>;
  enablePassphrase?: boolean;
};

/** What a frame signs: a transaction as hex of its serialization, or a message. */
export type FrameChain = "ETHEREUM" | "SOLANA";

/**
 * Talks to a frame at another origin, which keeps a login, shows an export or takes an import. As a stamper it stamps with the
 * credential that is in a login's frame. Nothing is inserted before `init`, so the class can be used where pages are
 * rendered on a server. What the frame refuses is `FrameRefused`; what takes too long is `Unavailable`.
 */
export class IframeStamper implements Stamper {
  readonly #options: IframeStamperOptions;
  readonly #url: URL;
  #channel: FrameChannel | undefined;
  /** Ends an `init` that waits. */
  #opening: AbortController | undefined;
  #publicKey = "";

  constructor(options: IframeStamperOptions) {
    const given = asObject(options);
    const url = typeof given.url === "string" ? URL.parse(given.url) : null;
    const problems = [
      ...(url && /^https?:$/.test(url.protocol)
        ? []
        : [{ field: "url", message: "must be the whole address of a frame, with https" }]),
      ...(given.container ? [] : [{ field: "container", message: "must be an element" }]),
      ...(isTime(given.timeoutMs)
        ? []
        : [{ field: "timeoutMs", message: "must be a number of milliseconds above 0" }]),
    ];
    if (!url || problems.length > 0) throw invalidFields(...problems);
    this.#options = given;
    this.#url = url;
  }

  /** The key to encrypt bundles to: uncompressed, in hex. Empty before `init`, and for the frame of an import. */
  get publicKey(): string {
    return this.#publicKey;
  }

  /**
   * Puts the frame into the page, and returns its key. `keyTtlMs` says how long a key lasts that is made now, if not 48 hours.
   * If the frame announces none in time, it is removed again, and this rejects with `Unavailable`.
   */
  async init({ keyTtlMs, ...wait }: FrameWait & { keyTtlMs?: number } = {}): Promise<string> {
    assertBrowser();
    if (!isTime(keyTtlMs)) {
      throw invalidFields({
        field: "keyTtlMs",
        message: "must be a number of milliseconds above 0",
      });
    }
    const { container, id, title } = this.#options;
    const element = typeof container === "function" ? container() : container;
    if (!element) {
      throw invalidFields({ field: "container", message: "must be an element of the page" });
    }
    this.clear();
    const opening = new AbortController();
    this.#opening = opening;
    const signal = AbortSignal.any([opening.signal, ...(wait.signal ? [wait.signal] : [])]);
    this.#channel = await FrameChannel.open(
      { url: this.#url, container: element, id, title },
      {
        ...this.#wait({ ...wait, signal }),
        keyTtlMs,
        onKey: (publicKey) => {
          this.#publicKey = publicKey;
        },
      },
    );
    return this.#publicKey;
  }

  /** Removes the frame. An `init` that waits, and what was asked and not answered, reject with `Cancelled`. */
  clear(): void {
    this.#opening?.abort();
    this.#channel?.close();
    this.#channel = undefined;
    this.#publicKey = "";
  }

  /** Stamps with the credential in the frame of a login. */
  async stamp(body: string, wait: FrameWait = {}): Promise<{ name: string; value: string }> {
    return { name: "X-Stamp", value: await this.#askText("STAMP_REQUEST", { value: body }, wait) };
  }

  /** Opens the bundle of a login, which a mail or the service brings, in its frame. */
  async injectCredentialBundle(bundle: string, wait: FrameWait = {}): Promise<void> {
    await this.#ask("INJECT_CREDENTIAL_BUNDLE", { value: bundle }, wait);
  }

  /** Shows an exported wallet. `publicKey` is another one afterwards. */
  async injectWalletExportBundle(
    { exportBundle, organizationId }: { exportBundle: string; organizationId: string },
    wait: FrameWait = {},
  ): Promise<void> {
    const payload = { value: exportBundle, organizationId };
    await this.#ask("INJECT_WALLET_EXPORT_BUNDLE", payload, wait);
  }

  /**
   * Shows an exported private key or account, and `publicKey` is another one afterwards. In the frame that signs, keeps it
   * under its address.
   */
  async injectKeyExportBundle(
    given: {
      exportBundle: string;
      organizationId: string;
      keyFormat?: KeyFormat;
      address?: string;
    },
    wait: FrameWait = {},
  ): Promise<void> {
    const { exportBundle, ...others } = given;
    await this.#ask("INJECT_KEY_EXPORT_BUNDLE", { value: exportBundle, ...others }, wait);
  }

  /** Says to whom the next import is encrypted: the result of an `init_import_…` submission. */
  async injectImportBundle(
    given: { importBundle: string; organizationId: string; userId: string },
    wait: FrameWait = {},
  ): Promise<void> {
    const { importBundle, ...others } = given;
    await this.#ask("INJECT_IMPORT_BUNDLE", { value: importBundle, ...others }, wait);
  }

  /** The recovery phrase in the frame, encrypted: the `encryptedBundle` of `import_wallet`. */
  extractWalletBundle(wait: FrameWait = {}): Promise<string> {
    return this.#askText("EXTRACT_WALLET_ENCRYPTED_BUNDLE", {}, wait);
  }

  /** The private key in the frame, encrypted: the `encryptedBundle` of `import_private_key`. */
  extractKeyBundle(
    { keyFormat = "HEXADECIMAL" }: { keyFormat?: KeyFormat } = {},
    wait: FrameWait = {},
  ): Promise<string> {
    return this.#askText("EXTRACT_KEY_ENCRYPTED_BUNDLE", { keyFormat }, wait);
  }

  /** Makes the frame of an export or an import look like its page. One value that it does not take refuses all. */
  async applySettings(settings: FrameSettings, wait: FrameWait = {}): Promise<void> {
    await this.#ask("APPLY_SETTINGS", { value: JSON.stringify(settings) }, wait);
  }

  /** Deletes the frame's key, and the credential or keys that were opened with it. */
  async resetKey(wait: FrameWait = {}): Promise<void> {
    await this.#ask("RESET_EMBEDDED_KEY", {}, wait);
    this.#publicKey = "";
  }

  /** The frame's key, which is made if there is none. */
  async initKey(wait: FrameWait = {}): Promise<string> {
    this.#publicKey = await this.#askText("INIT_EMBEDDED_KEY", {}, wait);
    return this.#publicKey;
  }

  /** Signs in the frame that keeps exported keys. */
  signTransaction(
    { address, ...value }: { transaction: string; type: FrameChain; address?: string },
    wait: FrameWait = {},
  ): Promise<string> {
    return this.#askText("SIGN_TRANSACTION", { value: JSON.stringify(value), address }, wait);
  }

  /** Signs a text in the frame that keeps exported keys. */
  signMessage(
    { address, ...value }: { message: string; type: FrameChain; address?: string },
    wait: FrameWait = {},
  ): Promise<string> {
    return this.#askText("SIGN_MESSAGE", { value: JSON.stringify(value), address }, wait);
  }

  /** Deletes an exported key of the frame, or without an address all. */
  async clearKeys({ address }: { address?: string } = {}, wait: FrameWait = {}): Promise<void> {
    await this.#ask("CLEAR_EMBEDDED_PRIVATE_KEY", { address }, wait);
  }

  async #askText(type: string, payload: object, wait: FrameWait): Promise<string> {
    const value = await this.#ask(type, payload, wait);
    if (typeof value === "string") return value;
    throw new UnexpectedAnswer(`The frame ${this.#url.href} answered ${type} without a text`, {
      code: "INVALID_RESPONSE",
    });
  }

  async #ask(type: string, payload: object, wait: FrameWait): Promise<unknown> {
    if (this.#channel) return this.#channel.ask(type, payload, this.#wait(wait));
    throw new InvalidCredential("There is no frame yet. Call init, and wait for it", {
      code: "INVALID_CREDENTIAL",
    });
  }

  #wait({ timeoutMs = this.#options.timeoutMs ?? 30_000, signal }: FrameWait): FrameWait {
    return { timeoutMs, signal };
  }
}

function isTime(ms: number | undefined): boolean {
  return ms === undefined || (Number.isFinite(ms) && ms > 0);
}
