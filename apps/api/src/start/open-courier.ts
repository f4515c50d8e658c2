import { join } from "node:path";
import { askEmbedded, type CourierClient, connectToCourier } from "@keyhearth/courier/client";
import { type Courier, createCourier } from "@keyhearth/courier/courier";
import {
  CourierKeyError,
  courierPublicKeyOf,
  dropPreparedKey,
  hasCourierKey,
  keepCourierKey,
  prepareCourierKey,
} from "@keyhearth/courier/key-file";
import type { Channel } from "@keyhearth/courier/protocol";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { explainFileErrors } from "../directory/files.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../observability/log.ts";
import { describeSigner } from "./open-signer.ts";

/** The courier that this process uses. Null if another process delivers. */
export type OpenedCourier = {
  client: CourierClient;
  /** The courier itself, if it is in this process: the mailbox asks it. */
  embedded: Courier | null;
  channels: Channel[];
  publicKey: string;
};

/**
 * Opens the courier, and makes sure that the signer seals messages to it.
 *
 * Invariant: a key that the signer trusts is on disk before the signer learns it.
 */
export async function openCourier(config: Config, host: Host): Promise<OpenedCourier | null> {
  const { courier } = config;
  if (courier.kind === "socket") return openSocket(courier.path, host);
  const privateKey = await agreeOnKey(config, host);
  if (!privateKey) return null;
  const embedded = createCourier({ privateKey, settings: courier.settings, now: host.now });
  const client = askEmbedded(embedded);
  const channels: Channel[] = [];
  if (courier.settings.smtp) channels.push("email");
  if (courier.settings.sms) channels.push("sms");
  return { client, embedded, channels, publicKey: courierPublicKeyOf(privateKey) };
}

const COURIER_WAIT_MS = 15_000;

async function openSocket(path: string, host: Host): Promise<OpenedCourier> {
  const client = connectToCourier(path);
  try {
    const { publicKey, channels } = await describeCourier(client, path, host.log);
    await describeSigner(host, { courierKey: publicKey });
    return { client, embedded: null, publicKey, channels };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Waits for a courier that is still starting. */
async function describeCourier(client: CourierClient, path: string, log: Log) {
  const giveUpAt = performance.now() + COURIER_WAIT_MS;
  for (let tries = 1; ; tries++) {
    const answer = await client.ask({ call: "describe" }).catch(() => null);
    if (answer?.kind === "description") return answer;
    if (performance.now() > giveUpAt) {
      throw new StartError(
        `the courier of KEYHEARTH_COURIER does not answer at ${path}; start it first, and check the path and the permissions of its socket`,
      );
    }
    if (tries === 2) log.warn({ path }, "the start waits for the courier, which does not answer");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function agreeOnKey(config: Config, host: Host): Promise<SecretBytes | null> {
  const path = join(config.dataDirectory, "courier-key");
  const { courierPublicKey: trusted } = await describeSigner(host);
  const key = explainFileErrors(config.dataDirectory, () =>
    explainKeyErrors(() => prepareCourierKey(path, { mayCreate: trusted === null })),
  );
  if (!key) return keyMissing(config, host, path);

  const refused = await refusalOf(host, courierPublicKeyOf(key));
  if (!refused) {
    keepCourierKey(path);
    return key;
  }
  const { courierPublicKey: other } = await describeSigner(host);
  // The operator decides, on the signer's machine, whether this key is to be trusted.
  if (other === null || hasCourierKey(path)) {
    keepCourierKey(path);
    throw refused;
  }
  // Another process that starts at the same time was faster.
  dropPreparedKey(path);
  return keyMissing(config, host, path);
}

async function refusalOf(host: Host, courierKey: string): Promise<StartError | null> {
  try {
    await describeSigner(host, { courierKey });
    return null;
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
}

function keyMissing({ signer }: Config, { log }: Host, path: string): null {
  const sentence = `the signer seals messages to a courier whose key is not in ${path}`;
  if (signer.kind === "embedded") {
    throw new StartError(
      `${sentence}; restore the file from a backup, or give up the messages that wait: remove the file \`courier\` from the signer's state directory`,
    );
  }
  log.warn(
    `${sentence}: this process delivers no messages; copy the file from the data directory of the process that has it`,
  );
  return null;
}

function explainKeyErrors<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof CourierKeyError)) throw cause;
    throw new StartError(cause.message, { cause });
  }
}
