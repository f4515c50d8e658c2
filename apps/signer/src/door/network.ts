import { constants } from "node:crypto";
import { type AddressInfo, createServer, isIPv4, isIPv6, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { encodeFrame } from "@keyhearth/engine/core/protocol";
import { ApiError, toErrorMessage } from "@keyhearth/engine/errors";
import { type DoorKey, lineOf, type Pin } from "@keyhearth/outbound/door-key";
import { doorTls, pinOfPeer } from "@keyhearth/outbound/door-tls";
import { SignerStateError } from "../state/state-error.ts";
import type { Door, Log } from "./door.ts";
import type { PairedApis } from "./paired-apis.ts";
import { createPlaces } from "./places.ts";
import type { Listener } from "./socket.ts";
import { createStrangers } from "./strangers.ts";

/** Where APIs of other machines connect. */
export type ListenAddress = { host: string; port: number };

/** Each process of the API has one connection, and for a moment two. */
const MAX_CONNECTIONS = 256;

/** A machine that lost its power says nothing. The system asks for it after so long, and gives up ten seconds later. */
const KEEP_ALIVE_MS = 5000;

/** What a refused API may still send, and for how long, so that it reads why it was refused. */
const MOST_REFUSED_BYTES = 256 * 1024;
const REFUSAL_MS = 1000;

/** Reads `HOST:PORT`. A name would be looked up, and could lead elsewhere one day. */
export function parseListenAddress(text: string): ListenAddress {
  const [, given = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const isBracketed = given.startsWith("[") && given.endsWith("]");
  const host = isBracketed ? given.slice(1, -1) : given;
  const isAddress = isBracketed ? isIPv6(host) : isIPv4(host) || host === "localhost";
  const port = Number(digits);
  if (isAddress && !host.includes("%") && port <= 65_535) return { host, port };
  throw new SignerStateError(
    `the address to listen on is \`${text.slice(0, 80)}\` but must be an IP address of this machine and a port, such as 10.0.0.7:7443, 0.0.0.0:7443 or [::]:7443`,
  );
}

/**
 * Listens for APIs on other machines: by TLS 1.3, in which both sides prove the keys that their operator has paired
 * (decision 29). Until then a connection gets nothing but the handshake.
 */
export async function listenOnNetwork(
  { host, port }: ListenAddress,
  { key, paired, door, log }: { key: DoorKey; paired: PairedApis; door: Door; log: Log },
): Promise<Listener & { address: string }> {
  const refuse = (reason: string, from?: string) => {
    log({ event: "connection refused", reason, from });
  };
  const strangers = createStrangers(refuse);
  /** Connections that have not proved a key, by their two ends. */
  const proofs = new Map<string, () => void>();
  const open = new Map<Socket, Pin>();
  const all = new Set<Socket>();
  let isClosing = false;
  const places = createPlaces<Socket>(MAX_CONNECTIONS, (socket) => {
    refuse("too many connections of paired APIs", socket.remoteAddress);
    socket.destroy();
  });

  const tls = createTlsServer({
    ...doorTls(key),
    requestCert: true,
    // No session outlives its connection, so each connection proves its key.
    secureOptions: constants.SSL_OP_NO_TICKET,
  });
  tls.on("secureConnection", (socket) => {
    if (isClosing) return void socket.destroy();
    const pin = pinOfPeer(socket);
    const peer = pin && paired.find(pin);
    if (!pin || !peer) {
      refuse(pin ? "a key that is not paired" : "no key of an API", socket.remoteAddress);
      return sayNotPaired(socket, pin);
    }
    proofs.get(endsOf(socket))?.();
    const owner = lineOf("api", pin);
    log({ event: "API connected", name: peer.name, from: socket.remoteAddress });
    open.set(socket, pin);
    places.take(owner, socket);
    socket.on("close", () => {
      open.delete(socket);
      places.leave(owner, socket);
    });
    door.serve(socket);
  });
  tls.on("tlsClientError", (error, socket) => {
    const code = "code" in error ? String(error.code) : "";
    const reason = code.startsWith("ERR_SSL") ? "no handshake of TLS 1.3" : "no handshake";
    refuse(reason, socket.remoteAddress);
    socket.destroy();
  });

  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    all.add(socket);
    socket.once("close", () => all.delete(socket));
    const prove = strangers.admit(socket);
    if (!prove || socket.destroyed) return;
    const ends = endsOf(socket);
    proofs.set(ends, prove);
    socket.once("close", () => proofs.delete(ends));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    tls.emit("connection", socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: Error) => reject(listenError(host, port, cause)));
    server.listen({ host, port }, resolve);
  });
  server.on("error", (cause) => log({ event: "the socket failed", cause }));

  const stopWatching = paired.onChange(() => {
    for (const [socket, pin] of open) {
      if (paired.find(pin)) continue;
      refuse("a key that is no longer paired", socket.remoteAddress);
      socket.destroy();
    }
  });
  const bound = server.address() as AddressInfo;
  return {
    address: `${isIPv6(bound.address) ? `[${bound.address}]` : bound.address}:${bound.port}`,
    close() {
      stopWatching();
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of [...open.keys(), ...all]) socket.destroy();
      return closed;
    },
  };
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** The API has verified the signer, so it may know why it is refused. Nothing that it sends is read. */
function sayNotPaired(socket: TLSSocket, pin: Pin | null) {
  const given = pin ? lineOf("api", pin) : "no key";
  const message = `the signer does not know this API (${given})`;
  const error = toErrorMessage(
    new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", message),
  );
  socket.on("error", () => socket.destroy());
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes > MOST_REFUSED_BYTES) socket.destroy();
  });
  setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
  socket.end(encodeFrame([{ id: 0, message: { kind: "error", error } }]));
}

function listenError(host: string, port: number, cause: Error): SignerStateError {
  const code = "code" in cause ? String(cause.code) : cause.message;
  return new SignerStateError(
    `the signer cannot listen on ${host}:${port} (${code}); choose an address of this machine and a port that is free, from 1024 on`,
    { cause },
  );
}
