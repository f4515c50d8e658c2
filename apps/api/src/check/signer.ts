import { existsSync } from "node:fs";
import type { Answer } from "@keyhearth/engine/core/protocol";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../observability/log.ts";
import type { SignerClient } from "../signer/client.ts";
import { assertTogether } from "../start/installation.ts";
import { describeSigner, openSigner } from "../start/open-signer.ts";
import { createReadiness } from "../start/readiness.ts";
import type { Store } from "../store/connect.ts";
import { type Finding, fine, wrong } from "./findings.ts";

/** What the signer's clock and ours may differ by. */
const SKEW_MS = 5000;

/** It runs already, or it does not. */
const WAIT_MS = 5000;

/** A signer in a process of its own, asked as the service asks it. The embedded one is the service's alone. */
export async function openSeparateSigner(config: Config, log: Log): Promise<SignerClient | null> {
  const { signer } = config;
  if (signer.kind === "embedded") return null;
  const isRemote = signer.addresses.some(({ kind }) => kind === "tls");
  // A start would make the key, and nothing is made here.
  if (isRemote && !existsSync(signer.keyFile)) {
    throw new StartError(
      `there is no key in ${signer.keyFile}, so no signer at a tls:// address lets this machine in: start the service once, or correct KEYHEARTH_SIGNER_KEY_PATH`,
    );
  }
  return openSigner(config, log, { mayCreate: false, onEnd: () => {} });
}

export async function checkSigner(signer: SignerClient): Promise<Finding[]> {
  try {
    const askSigner: Host["askSigner"] = (request): Promise<Answer> => signer.call(request);
    const { nowMs, startedAtMs, isStandby } = await describeSigner(
      { askSigner, signer },
      { waitMs: WAIT_MS },
    );
    const since = new Date(startedAtMs).toISOString().replace(/\.\d+Z$/, "Z");
    const skewMs = nowMs - Date.now();
    return [
      fine("signer", `it answers, and runs since ${since}${isStandby ? "; it is a standby" : ""}`),
      Math.abs(skewMs) <= SKEW_MS
        ? fine("signer's clock", "within 5 s of this machine's")
        : wrong(
            "signer's clock",
            `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? "ahead of" : "behind"} this machine's: set both right, such as with \`timedatectl set-ntp true\``,
          ),
    ];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [wrong("signer", error.message)];
  }
}

/** Whether the database is that of the signer, and has what the signer has seen last, as `/readyz` asks it. */
export async function checkTogether(
  config: Config,
  { store, signer, log }: { store: Store; signer: SignerClient; log: Log },
): Promise<Finding[]> {
  const askSigner: Host["askSigner"] = (request) => signer.call(request);
  try {
    const { installationId } = await describeSigner({ askSigner, signer }, { waitMs: WAIT_MS });
    await assertTogether(config, store, installationId);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // What else would be compared is that of a stranger.
    return [wrong("installation", error.message)];
  }
  const { ready, reasons } = await createReadiness({ store, askSigner, log })();
  return ready
    ? [fine("marks", "the database has what the signer has seen last")]
    : reasons.map((reason) => wrong("marks", reason));
}
