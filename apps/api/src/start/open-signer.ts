import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Answer,
  type Description,
  olderRelease,
  PROTOCOL,
} from "@keyhearth/engine/core/protocol";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../observability/log.ts";
import type { SignerClient, SignerEvent } from "../signer/client.ts";
import { isCrowded } from "../signer/crowded.ts";
import { startEmbeddedSigner } from "../signer/embedded.ts";
import { connectToSigner } from "../signer/socket.ts";
import { openSignerDoorKey } from "./signer-door-key.ts";

const SIGNER_WAIT_MS = 15_000;

const ALARMS: readonly string[] = [
  ...["refused", "malformed frame", "signer stopped", "signer failed", "signer not there"],
];

/** A signer that has its root key need not wait until we know whether the database is new. */
export function hasRootKey(config: Config): boolean {
  return config.signer.kind === "embedded" && keyFilesOf(config).length === 2;
}

/** Nobody has used a signer that has neither a root key nor a keyring. */
export function isNewSigner(config: Config): boolean {
  return config.signer.kind === "embedded" && keyFilesOf(config).length === 0;
}

function keyFilesOf({ signerStateDirectory }: Config): string[] {
  return ["root-key", "keyring"].filter((file) => existsSync(join(signerStateDirectory, file)));
}

export async function openSigner(
  config: Config,
  log: Log,
  { mayCreate, onEnd }: { mayCreate: boolean; onEnd: (error: StartError) => void },
): Promise<SignerClient> {
  const onEvent = ({ event, ...rest }: SignerEvent) => {
    log[ALARMS.includes(event) ? "error" : "info"]({ signer: rest }, `signer: ${event}`);
  };
  if (config.signer.kind === "socket") {
    const { addresses, pins, keyFile } = config.signer;
    const isRemote = addresses.some(({ kind }) => kind === "tls");
    const key = isRemote ? openSignerDoorKey(keyFile) : null;
    return connectToSigner({ addresses, identity: key && { key, pins }, onEvent });
  }
  const stateDirectory = config.signerStateDirectory;
  try {
    const { oidcIssuers: issuers, oauth2Providers: providers } = config;
    const trusted = { issuers, providers };
    return await startEmbeddedSigner({ stateDirectory, mayCreate, ...trusted, onEvent, onEnd });
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const reason = cause instanceof Error ? cause.message.replaceAll(/\s+/g, " ") : "unknown";
    throw new StartError(
      `the signer with its state in ${stateDirectory} did not start (${reason}); restore the state from a backup if it is damaged`,
      { cause },
    );
  }
}

/**
 * Asks a signer what it is, and whether it made these records and trusts this courier. Waits for one that is
 * still starting, and gives up with a `StartError`.
 */
export async function describeSigner(
  { askSigner, signer }: Pick<Host, "askSigner"> & { signer?: SignerClient },
  {
    attachments = [],
    courierKey,
    waitMs = SIGNER_WAIT_MS,
  }: { attachments?: Uint8Array[]; courierKey?: string; waitMs?: number } = {},
): Promise<Description> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      const answer = await askSigner({
        call: "describe",
        protocol: PROTOCOL,
        attachments,
        ...(courierKey !== undefined && { courierKey }),
      });
      if (isCrowded(answer)) throw new Error("too many calls wait for the signer");
      return descriptionOf(answer);
    } catch (cause) {
      if (cause instanceof StartError) throw cause;
      const refusal = signer?.refusal?.() ?? null;
      if (refusal !== null) throw new StartError(refusal, { cause });
      if (performance.now() > giveUpAt) throw notThere(signer, cause);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function notThere(signer: SignerClient | undefined, cause: unknown): StartError {
  const problems = signer?.problems?.() ?? "";
  return new StartError(
    problems.includes("tls://")
      ? `no signer of KEYHEARTH_SIGNER works: ${problems}; start one first, and check the addresses and the firewalls between the machines`
      : `the signer of KEYHEARTH_SIGNER does not answer at ${signer?.path}; start it first, and check the path and the permissions of its socket`,
    { cause },
  );
}

function descriptionOf(answer: Answer): Description {
  if (answer.kind === "error") {
    throw new StartError(
      answer.error.reason === "REQUEST_NOT_AUTHORIZED"
        ? answer.error.message
        : `the signer refuses to work: ${answer.error.message}`,
    );
  }
  if (answer.kind !== "description") throw new StartError("the signer did not describe itself");
  // Signers of earlier releases have no number, and ignore the one of the service.
  const older = olderRelease({ service: PROTOCOL, signer: answer.protocol ?? 0 });
  if (older) throw new StartError(older);
  return answer;
}
