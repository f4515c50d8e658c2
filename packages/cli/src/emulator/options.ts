import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey, isValidPublicKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { EmulatorError } from "./errors.ts";
import type { EmulatorOptions, OrganizationOptions } from "./types.ts";

type Check = (name: string, value: unknown) => void;

const organizationChecks: Record<keyof OrganizationOptions, Check> = {
  organizationName: checkName,
  organizationId: checkId,
  apiPublicKey: checkPublicKey,
};

const emulatorChecks: Record<keyof EmulatorOptions, Check> = {
  ...organizationChecks,
  apiPrivateKey: checkPrivateKey,
  port: checkPort,
  oidcIssuers: checkText,
  log: checkFunction,
};

/** Callers in JavaScript, and of other processes, have no types. */
export function checkEmulatorOptions(given: EmulatorOptions): EmulatorOptions {
  const options = check<EmulatorOptions>("startEmulator", given, emulatorChecks);
  const { apiPublicKey, apiPrivateKey } = options;
  if (apiPublicKey === undefined || apiPrivateKey === undefined) return options;
  if (publicKeyOfHex(apiPrivateKey) === apiPublicKey) return options;
  throw new EmulatorError(
    "apiPublicKey",
    "`apiPublicKey` is not the public key of `apiPrivateKey`: give the private key alone",
  );
}

export function checkOrganizationOptions(given: unknown): OrganizationOptions {
  return check<OrganizationOptions>("createOrganization", given, organizationChecks);
}

/** A private key of P-256 has one. */
function publicKeyOfHex(privateKey: string): string {
  return encodeHex(publicKeyOf("CURVE_P256", decodeHex(privateKey)));
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const MOST_YEARS = 10;

export function checkMove(milliseconds: unknown): number {
  const isMove =
    typeof milliseconds === "number" &&
    Number.isSafeInteger(milliseconds) &&
    milliseconds >= 0 &&
    milliseconds <= MOST_YEARS * YEAR_MS;
  if (isMove) return milliseconds;
  throw new EmulatorError(
    "forwardMs",
    `the clock moves forward by a whole number of milliseconds from 0 to ${MOST_YEARS} years, not by ${shown(milliseconds)}; to go back, reset the emulator`,
  );
}

function check<Options>(caller: string, given: unknown, checks: Record<string, Check>): Options {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new EmulatorError("", `${caller} takes an object of options, not ${shown(given)}`);
  }
  for (const [name, value] of Object.entries(given)) {
    const own = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!own) {
      const known = Object.keys(checks).join(", ");
      throw new EmulatorError(name, `${caller} has no option ${shown(name)}: it has ${known}`);
    }
    if (value !== undefined) own(name, value);
  }
  return given as Options;
}

/** As the API has it: a name is shown on one line. */
function checkName(name: string, value: unknown) {
  const isName =
    typeof value === "string" && /^\S(.{0,254}\S)?$/u.test(value) && !/\p{Cc}/u.test(value);
  if (!isName) throw refused(name, value, "a text of 1 to 255 characters without line breaks");
}

function checkId(name: string, value: unknown) {
  const isId =
    typeof value === "string" &&
    /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value);
  if (isId) return;
  throw refused(name, value, "a UUID in lower case, such as 11111111-1111-4111-8111-111111111111");
}

function checkPublicKey(name: string, value: unknown) {
  const isHex = typeof value === "string" && /^0[23][0-9a-f]{64}$/.test(value);
  if (isHex && isValidPublicKey("CURVE_P256", decodeHex(value))) return;
  throw refused(
    name,
    value,
    "the compressed public key of a P-256 API key: 66 hex digits in lower case that begin with 02 or 03",
  );
}

function checkPrivateKey(name: string, value: unknown) {
  const isHex = typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
  if (isHex && isValidPrivateKey("CURVE_P256", decodeHex(value))) return;
  // It may be a key with a slip in it.
  throw new EmulatorError(
    name,
    `\`${name}\` is not accepted; use the private key of a P-256 API key: 64 hex digits in lower case`,
  );
}

function checkPort(name: string, value: unknown) {
  const isPort = typeof value === "number" && Number.isInteger(value) && value >= 0;
  if (isPort && value <= 65_535) return;
  throw refused(name, value, "a whole number from 0 to 65535; 0 takes a free port");
}

function checkText(name: string, value: unknown) {
  if (typeof value !== "string") throw refused(name, value, "a text");
}

function checkFunction(name: string, value: unknown) {
  if (typeof value !== "function") throw refused(name, value, "a function that takes a line");
}

function refused(name: string, value: unknown, accepted: string): EmulatorError {
  return new EmulatorError(name, `\`${name}\` is ${shown(value)}; use ${accepted}`);
}

function shown(value: unknown): string {
  if (typeof value === "string") return `\`${value.slice(0, 80)}\``;
  if (typeof value === "number" || value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}
