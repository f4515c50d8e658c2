import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import { isNoTls, whyUntrusted } from "@keyhearth/outbound/untrusted";
import { SignerStateError } from "../state/state-error.ts";
import { type Etcd, type EtcdError, MARKS_VARIABLE } from "./etcd.ts";

/**
 * Asks all endpoints at the start, because a wrong one would be noticed only when the others are away. What is wrong with
 * one is logged. If none answers, and one of them says why waiting does not help, that ends the start: it is thrown as a
 * `SignerStateError`, as members of two clusters are.
 */
export async function checkEndpoints(etcd: Etcd, key: string, log: (event: CoreEvent) => void) {
  const looked = await etcd.look(key);
  const refusals: string[] = [];
  for (const { endpoint, problem } of looked) {
    if (!problem) continue;
    const refusal = await refusalOf(endpoint, problem);
    if (refusal === null) log({ event: "etcd member not there", cause: problem });
    else {
      refusals.push(refusal);
      log({ event: "etcd member refused", cause: new Error(refusal, { cause: problem }) });
    }
  }
  const [first] = refusals;
  const answers = looked.some(({ problem }) => problem === null);
  if (first !== undefined && !answers) throw new SignerStateError(first);
}

/** A sentence for the operator if waiting does not help. Null if the endpoint may be there in a moment. */
async function refusalOf(endpoint: URL, problem: EtcdError): Promise<string | null> {
  const { host, protocol } = endpoint;
  const { cause, status, message } = problem;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const untrusted = whyUntrusted(code);
  if (untrusted !== null) {
    return `etcd at ${host} is not trusted, because ${untrusted} (${code}); correct the endpoint in ${MARKS_VARIABLE} or the certificate, or set NODE_EXTRA_CA_CERTS to the file of the authority`;
  }
  // etcd closes a connection that begins in the other way.
  const isClosed = code === "ECONNRESET";
  if (protocol === "https:" && (isNoTls(code) || (isClosed && (await speaksHttp(endpoint))))) {
    return `what listens at ${host} does not speak TLS, and ${MARKS_VARIABLE} names it with https; correct the address, or have etcd use TLS there`;
  }
  if (protocol === "http:" && isClosed && (await speaksTls(endpoint))) {
    return `etcd at ${host} speaks TLS, and ${MARKS_VARIABLE} names it with http; write https there`;
  }
  if (/authentication|user name is empty|permission denied/.test(message)) {
    return `etcd at ${host} does not let this signer in (${status}); correct the name and the password in ${MARKS_VARIABLE}, and what etcd allows this user`;
  }
  if (status === 200 || status === 404 || code.startsWith("HPE_")) {
    return `at ${host} there is no etcd 3.4 or later; correct the endpoint in ${MARKS_VARIABLE}`;
  }
  return null;
}

const TIMEOUT_MS = 1000;

/** Whether there is a server that speaks TLS, whoever it is. Nothing is sent to it. */
function speaksTls(endpoint: URL): Promise<boolean> {
  const socket = connectTls({ ...placeOf(endpoint), rejectUnauthorized: false });
  return happens(socket, "secureConnect");
}

/** Whether there is a server that answers without TLS. It is asked for nothing. */
function speaksHttp(endpoint: URL): Promise<boolean> {
  const socket = connect(placeOf(endpoint), () => socket.write("OPTIONS * HTTP/1.0\r\n\r\n"));
  return happens(socket, "data");
}

function placeOf({ hostname, port, protocol }: URL) {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
}

function happens(socket: Socket, event: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isSo: boolean) => {
      resolve(isSo);
      socket.destroy();
    };
    socket.setTimeout(TIMEOUT_MS, () => end(false));
    socket.once(event, () => end(true));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}
