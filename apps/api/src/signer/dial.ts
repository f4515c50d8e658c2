import { createConnection, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { type Answer, decodeFrame, encodeFrame, PROTOCOL } from "@keyhearth/engine/core/protocol";
import { type DoorKey, hasPin, lineOf, type Pin } from "@keyhearth/outbound/door-key";
import { doorTls, pinOfPeer } from "@keyhearth/outbound/door-tls";
import { isNoTls } from "@keyhearth/outbound/untrusted";
import type { SignerAddress } from "../config/signer-addresses.ts";
import { createLink, type Link, NO_CALL } from "./link.ts";

/** How this process knows signers on other machines, and they this process. */
export type DoorIdentity = { key: DoorKey; pins: readonly Pin[] };

/** What answers at an address, and what it says of itself. */
export type Dialed = { address: SignerAddress; link: Link; answer: Answer };

/** Why nobody answers at an address. */
export class DialError extends Error {
  /** Of the operating system or of TLS. */
  readonly code: string;
  /** A sentence for the operator, if waiting does not help. */
  readonly refusal: string | null;

  constructor(code: string, refusal: string | null = null) {
    super(refusal ?? code);
    this.code = code;
    this.refusal = refusal;
  }
}

/** A machine that is there answers within this, however busy its processes are. */
const CONNECT_MS = 1500;

/** A signer may be busy for a second or two. */
const ANSWER_MS = 5000;

/** Connects, proves this process's key, checks that of the signer, and asks it what it is. Throws `DialError`. */
export async function dial(
  address: SignerAddress,
  identity: DoorIdentity | null,
  signal: AbortSignal,
): Promise<Dialed> {
  const socket = open(address, identity);
  const abort = () => socket.destroy(new DialError("ABORTED"));
  const connecting = setTimeout(() => socket.destroy(new DialError("TIMEOUT")), CONNECT_MS);
  const answering = setTimeout(() => socket.destroy(new DialError("TIMEOUT")), ANSWER_MS);
  socket.once("connect", () => clearTimeout(connecting));
  signal.addEventListener("abort", abort);
  try {
    if (signal.aborted) abort();
    await opened(socket, address.kind === "tls" ? "secureConnect" : "connect");
    if (address.kind === "tls" && identity) checkKey(socket as TLSSocket, address, identity);
    const { link, answer } = await describe(socket);
    if (isRefusal(answer)) throw notPaired(address, identity);
    return { address, link, answer };
  } catch (error) {
    socket.destroy();
    throw error instanceof DialError ? error : explain(address, error);
  } finally {
    clearTimeout(connecting);
    clearTimeout(answering);
    signal.removeEventListener("abort", abort);
  }
}

function open(address: SignerAddress, identity: DoorIdentity | null): Socket {
  if (address.kind === "unix") return createConnection(address.path);
  if (!identity) throw new Error("a signer on another machine needs a key");
  const { host, port } = address;
  return connectTls({ ...doorTls(identity.key), host, port }).setNoDelay(true);
}

function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(new DialError("CLOSED")));
  });
}

/** Nothing is sent before this. */
function checkKey(socket: TLSSocket, { text }: SignerAddress, { pins }: DoorIdentity) {
  const pin = pinOfPeer(socket);
  if (!pin) {
    throw new DialError(
      "NO_SIGNER",
      `at ${text} there is a TLS server, but no signer; set KEYHEARTH_SIGNER to the address that the signer has in --listen`,
    );
  }
  if (hasPin(pins, pin)) return;
  throw new DialError(
    "WRONG_KEY",
    `the signer at ${text} proved the key ${lineOf("signer", pin)}, which KEYHEARTH_SIGNER_PINS does not list; add it only if \`npm run -s signer -- pair\` prints it on the signer's machine, because otherwise somebody else answers there`,
  );
}

function describe(socket: Socket): Promise<{ link: Link; answer: Answer }> {
  return new Promise((resolve, reject) => {
    const onClose = () =>
      reject(socket.errored instanceof DialError ? socket.errored : new DialError("CLOSED"));
    const link = createLink(socket, {
      onFrame(frame) {
        const answer = decodeFrame<Answer>(frame).find(
          ({ id, message }) => id === NO_CALL && message.kind !== "begun",
        );
        if (answer) resolve({ link, answer: answer.message });
      },
      onClose,
    });
    link.write(encodeFrame([{ id: NO_CALL, message: { call: "describe", protocol: PROTOCOL } }]));
  });
}

/** The signer's door says so to an API that has no paired key, and to nobody else. */
function isRefusal(answer: Answer): boolean {
  return answer.kind === "error" && answer.error.reason === "REQUEST_NOT_AUTHORIZED";
}

function notPaired({ text }: SignerAddress, identity: DoorIdentity | null): DialError {
  const line = identity ? lineOf("api", identity.key.pin) : "LINE";
  return new DialError(
    "NOT_PAIRED",
    `the signer at ${text} does not know this service; run \`npm run -s signer -- pair NAME ${line}\` on its machine, with any name for this service`,
  );
}

/** TLS libraries say much about what is not TLS, and nothing that an operator needs. */
function explain({ text }: SignerAddress, error: unknown): DialError {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (!isNoTls(code)) return new DialError(code);
  return new DialError(
    code,
    `at ${text} there is no signer: what listens there does not speak TLS 1.3 as a signer does (${code}); set KEYHEARTH_SIGNER to the address that the signer has in --listen`,
  );
}
