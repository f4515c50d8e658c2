import { pageOf, parseObject } from "../connection/answers.ts";
import { Connection, type ConnectionOptions } from "../connection/connection.ts";
import { SessionEnded, Unauthenticated } from "../errors/errors.ts";
import { ended } from "../stampers/kept-session.ts";

/** A connection that notices when its session has ended, or the service no longer knows it. */
export class SessionConnection extends Connection {
  readonly #publicKey: () => string | undefined;
  readonly #onEnd: (refused: string | undefined) => Promise<void>;

  constructor(
    options: ConnectionOptions,
    /** The key that the next request is stamped with. Undefined if its user is no longer logged in. */
    publicKey: () => string | undefined,
    /** Called with the key that the service refused, or undefined if nothing could be stamped. */
    onEnd: (refused: string | undefined) => Promise<void>,
  ) {
    super(options);
    this.#publicKey = publicKey;
    this.#onEnd = onEnd;
  }

  override async request(
    path: string,
    body: string,
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<Record<string, unknown>> {
    const publicKey = this.#publicKey();
    const docsUrl = pageOf(this.baseUrl, "SESSION_ENDED");
    // Another user may have logged in since. Their session stays, and this request ends.
    if (publicKey === undefined)
      throw ended("The session of this connection has ended", { docsUrl });
    try {
      return await super.request(path, body, options);
    } catch (error) {
      if (!this.#isOver(error, body)) throw error;
      if (error instanceof SessionEnded) {
        await this.#onEnd(error.httpStatus === undefined ? undefined : publicKey);
        throw error;
      }
      await this.#onEnd(publicKey);
      const docsUrl = pageOf(this.baseUrl, "SESSION_ENDED");
      throw ended("The service no longer knows this session", { docsUrl, cause: error });
    }
  }

  /** Another organization does not know the session's key, and that says nothing about the session. */
  #isOver(error: unknown, body: string): boolean {
    if (error instanceof SessionEnded) return true;
    if (!(error instanceof Unauthenticated) || error.code !== "CREDENTIAL_NOT_FOUND") return false;
    return parseObject(body)?.organizationId === this.organizationId;
  }
}
