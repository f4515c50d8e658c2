import { type Config, readConfig } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import type { Environment } from "../config/variables.ts";
import { createLog } from "../observability/log.ts";
import type { SignerClient } from "../signer/client.ts";
import { checkDatabase } from "./database.ts";
import { checkFiles } from "./files.ts";
import { doubtful, type Finding, fine, wrong } from "./findings.ts";
import { checkSigner, checkTogether, openSeparateSigner } from "./signer.ts";

/**
 * Looks at an installation from its own machine, with the settings of the service and as its user. Nothing is started
 * and nothing is changed, so it can run beside the service.
 */
export async function checkInstallation(environment?: Environment): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [wrong("settings", error.message)];
  }
  const settings = config.warnings.map((warning) => doubtful("settings", warning));
  return [
    ...(settings.length > 0 ? settings : [fine("settings", "as the service reads them")]),
    ...limits(config),
    ...checkFiles(config),
    ...(await checkParts(config)),
  ];
}

/** What only a developer's service may have. */
function limits({ rateLimit, hasMailbox, isForDeveloper, courier }: Config): Finding[] {
  const noMail =
    courier.kind === "embedded" && courier.settings.smtp === null && !hasMailbox
      ? [doubtful("mail", "no mail server is set, so emails wait: set SMTP_URL")]
      : [];
  if (isForDeveloper) {
    return [
      doubtful("reach", "only this machine reaches the service, as a developer's: see HOST"),
      ...noMail,
    ];
  }
  return rateLimit === null
    ? [wrong("limits", "requests are not limited: unset KEYHEARTH_RATE_LIMIT"), ...noMail]
    : [fine("limits", "requests are limited"), ...noMail];
}

async function checkParts(config: Config): Promise<Finding[]> {
  // What is wrong is said once, by a finding.
  const log = createLog({ level: "silent" });
  let signer: SignerClient | null = null;
  const findings: Finding[] = [];
  try {
    signer = await openSeparateSigner(config, log);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    findings.push(wrong("signer", error.message));
  }
  const open = signer;
  try {
    const ofSigner = open === null ? [] : await checkSigner(open);
    findings.push(...ofSigner);
    const isThere = ofSigner.some(({ status, check }) => check === "signer" && status === "ok");
    const ofDatabase = await checkDatabase(config, async (store) =>
      open !== null && isThere ? checkTogether(config, { store, signer: open, log }) : [],
    );
    return [...findings, ...ofDatabase];
  } finally {
    await open?.close();
  }
}
