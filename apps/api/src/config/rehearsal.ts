import {
  ConfigError,
  described,
  type Environment,
  given,
  type Name,
  refused,
} from "./variables.ts";

const REHEARSAL = "KEYHEARTH_REHEARSAL";

/** What a rehearsal takes. Everything else of a service would reach somebody, or be reached. */
const ALLOWED: readonly Name[] = [
  REHEARSAL,
  "KEYHEARTH_DATA_DIR",
  "DATABASE_URL",
  "KEYHEARTH_LOG_LEVEL",
];

/** What a rehearsal has in place of the defaults: a port that nobody knows, and nobody to ask about tokens. */
const FIXED = {
  PORT: "0",
  KEYHEARTH_OIDC_ISSUERS: "none",
  KEYHEARTH_OAUTH2_PROVIDERS: "none",
} satisfies Partial<Record<Name, string>>;

/**
 * The environment of a service that rehearses a restore, and an ordinary one as it is. Any other variable of the service
 * ends the start, so that the settings of the real installation cannot come along.
 */
export function forRehearsal(env: Environment): { isRehearsal: boolean; env: Environment } {
  const value = given(env, REHEARSAL) ?? "off";
  if (value !== "on" && value !== "off") throw refused(REHEARSAL, value);
  if (value === "off") return { isRehearsal: false, env };
  const isAllowed = (name: string) => ALLOWED.some((allowed) => allowed === name);
  const other = Object.keys(described).find((name) => !isAllowed(name) && given(env, name));
  if (other !== undefined) {
    throw new ConfigError(
      `${other} is set, but a rehearsal reaches nobody and takes only ${ALLOWED.slice(0, -1).join(", ")} and ${ALLOWED.at(-1)}; unset it, or unset ${REHEARSAL} for a service that works`,
    );
  }
  return { isRehearsal: true, env: { ...env, ...FIXED } };
}
