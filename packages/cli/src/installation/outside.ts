import { connect } from "node:tls";
import type { Surroundings } from "../command.ts";
import type { Profile } from "../connection/profiles.ts";
import { readReadiness, readServiceFacts, type ServiceFacts } from "../connection/service-facts.ts";
import { InputError } from "../errors.ts";
import { type Finding, tried } from "../findings.ts";
import { plain } from "../output.ts";

const PATIENCE_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Certificates that renew themselves do so 30 days before. */
const LAST_DAYS = 14;

const fine = (check: string, message: string): Finding => ({ check, status: "ok", message });
const doubtful = (check: string, message: string): Finding => ({
  check,
  status: "warning",
  message,
});
const wrong = (check: string, message: string): Finding => ({ check, status: "error", message });

export type Known = {
  /** The release of this command. */
  version: string;
  /** What has been pinned, if anything. */
  profile: Profile | undefined;
  clock: (facts: ServiceFacts) => Finding;
};

/** What everybody who reaches the service sees of it. Stamps nothing, and needs no key. */
export async function lookFromOutside(
  url: string,
  { version, profile, clock }: Known,
  surroundings: Surroundings,
): Promise<Finding[]> {
  const base = new URL(url);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(base.hostname);
  const findings: Finding[] = [];
  findings.push(...(await transport(base, isHere)));
  const facts = await tried(findings, "service", surroundings, async () => {
    const found = await readServiceFacts(url);
    return [found, `${url}, version ${plain(found.version)}`];
  });
  if (!facts) return findings;
  findings.push(release(facts.version, version), clock(facts), pinned(profile, facts));
  await tried(findings, "readiness", surroundings, async () => {
    const status = await readReadiness(url);
    if (status === 200) return [status, "database and signer answer"];
    throw new InputError(
      `/readyz answers ${status}: the database or the signer does not work, look at the log of the service`,
    );
  });
  findings.push(
    signup(facts.signup),
    ...(await closed(base, isHere)),
    await pages(base),
    await headers(base),
    await preflight(base),
  );
  return findings;
}

/** Undefined if nothing answers, or not in time. A redirect is an answer. */
async function ask(base: URL, path: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(new URL(path, base), { redirect: "manual", signal, ...init });
    await response.body?.cancel();
    return response;
  } catch {
    return undefined;
  }
}

async function transport(base: URL, isHere: boolean): Promise<Finding[]> {
  if (base.protocol === "http:") {
    return isHere
      ? [fine("TLS", "not needed on this machine alone")]
      : [wrong("TLS", "requests are not encrypted: put a proxy with TLS in front, and use https")];
  }
  return [certificate(await expiryOf(base), Date.now()), await fromHttp(base)];
}

/** When the certificate ends, or why there is no trusted connection. */
function expiryOf({ hostname, port }: URL): Promise<number | string> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      // An address is not a name that is asked for.
      ...(/[a-z]/i.test(host) && !host.includes(":") && { servername: host }),
    });
    const end = (found: number | string) => {
      resolve(found);
      socket.destroy();
    };
    socket.setTimeout(PATIENCE_MS, () => end("TIMEOUT"));
    socket.once("secureConnect", () => end(Date.parse(socket.getPeerCertificate().valid_to)));
    socket.once("error", (error: Error & { code?: string }) => end(error.code ?? "no connection"));
  });
}

export function certificate(expiry: number | string, nowMs: number): Finding {
  const check = "TLS";
  if (typeof expiry === "string") {
    const isExpired = expiry === "CERT_HAS_EXPIRED";
    return wrong(
      check,
      isExpired
        ? "the certificate has expired: renew it"
        : `there is no connection that a browser would trust (${plain(expiry)}): check the certificate and its chain`,
    );
  }
  const days = Math.floor((expiry - nowMs) / DAY_MS);
  return days < LAST_DAYS
    ? doubtful(check, `the certificate ends in ${days} days: see why it was not renewed`)
    : fine(check, `the certificate is trusted, and is valid for ${days} more days`);
}

/** What somebody gets who leaves out the s. */
async function fromHttp(base: URL): Promise<Finding> {
  const check = "HTTP";
  if (base.port !== "") return fine(check, `not looked at, because the port is ${base.port}`);
  const answer = await ask(new URL(`http://${base.hostname}`), "/");
  if (answer === undefined) return fine(check, "nothing answers without TLS");
  const to = answer.headers.get("location") ?? "";
  if (answer.status >= 300 && answer.status < 400 && to.startsWith("https://")) {
    return fine(check, "leads to https");
  }
  return doubtful(
    check,
    `http answers ${answer.status} itself: have the proxy redirect it to https`,
  );
}

function release(ofService: string, own: string): Finding {
  const check = "release";
  if (ofService === own) return fine(check, `${plain(own)}, like this command`);
  return doubtful(
    check,
    `the service is ${plain(ofService)}, and this command ${plain(own)}: use those of one release`,
  );
}

function pinned(profile: Profile | undefined, facts: ServiceFacts): Finding {
  const check = "pinned keys";
  if (profile?.signerPublicKey === undefined || profile.quorumPublicKey === undefined) {
    const message = "no profile has pinned the keys of the service: name one with --profile";
    return doubtful(check, message);
  }
  const isSame =
    profile.signerPublicKey === facts.signerPublicKey &&
    profile.quorumPublicKey === facts.quorumPublicKey;
  return isSame
    ? fine(check, `they are those of the profile ${profile.name}`)
    : wrong(
        check,
        `the service shows other keys than the profile ${profile.name} has pinned: it has another signer, or somebody is between`,
      );
}

function signup(state: string): Finding {
  const check = "sign-up";
  if (state === "closed") return fine(check, "closed: only the root organization makes others");
  if (state === "open") {
    return doubtful(
      check,
      "open: anybody may create an organization. Unless you mean it, set KEYHEARTH_SIGNUP to closed",
    );
  }
  return doubtful(check, "the service does not say whether it is open");
}

/** What only the operator may read. */
async function closed(base: URL, isHere: boolean): Promise<Finding[]> {
  const metrics = await ask(base, "/metrics");
  const mailbox = await ask(base, "/mailbox");
  const seen = (answer: Response | undefined, of: Record<"no" | "here" | "anywhere", Finding>) => {
    if (answer?.status !== 200) return of.no;
    return isHere ? of.here : of.anywhere;
  };
  return [
    seen(metrics, {
      no: fine("metrics", "strangers may not read them"),
      here: fine("metrics", "this machine may read them"),
      anywhere: wrong(
        "metrics",
        "anybody may read /metrics: a proxy hides whom it asks for, so have it refuse the path, or send X-Forwarded-For",
      ),
    }),
    seen(mailbox, {
      no: fine("mailbox", "off"),
      here: doubtful("mailbox", "on: it shows messages to a developer"),
      anywhere: wrong(
        "mailbox",
        "on although others reach the service: set KEYHEARTH_PUBLIC_URL and KEYHEARTH_TRUSTED_PROXIES, and SMTP_URL",
      ),
    }),
  ];
}

async function pages(base: URL): Promise<Finding> {
  const check = "pages";
  const paths = ["/", "/dashboard", "/frames/export"];
  const missing: string[] = [];
  for (const path of paths) if ((await ask(base, path))?.status !== 200) missing.push(path);
  return missing.length === 0
    ? fine(check, "site, dashboard and frames are served")
    : doubtful(check, `${missing.join(", ")} cannot be read: have the proxy pass all paths on`);
}

async function headers(base: URL): Promise<Finding> {
  const check = "headers";
  const answer = await ask(base, "/dashboard");
  const needed = [
    ["content-security-policy", "have the proxy leave the headers of answers alone"],
    ["x-content-type-options", "have the proxy leave the headers of answers alone"],
    ...(base.protocol === "https:"
      ? [["strict-transport-security", "have the proxy send `max-age=31536000`"]]
      : []),
  ] as const;
  const missing = needed.filter(([name]) => !answer?.headers.has(String(name)));
  const [first] = missing;
  return first === undefined
    ? fine(check, "those that protect pages are there")
    : doubtful(check, `${missing.map(([name]) => name).join(", ")} is missing: ${first[1]}`);
}

/** Whether pages of other origins can send stamped requests. */
async function preflight(base: URL): Promise<Finding> {
  const check = "CORS";
  const answer = await ask(base, "/public/v1/query/whoami", {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-stamp",
    },
  });
  const isAllowed =
    answer?.headers.get("access-control-allow-origin") === "*" &&
    /\bx-stamp\b/i.test(answer.headers.get("access-control-allow-headers") ?? "");
  return isAllowed
    ? fine(check, "pages of applications can send requests")
    : doubtful(
        check,
        "pages of applications cannot send requests: have the proxy pass OPTIONS on, and leave the headers of answers alone",
      );
}
