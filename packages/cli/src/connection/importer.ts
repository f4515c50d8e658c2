import { Unverified } from "@keyhearth/sdk";
import type { Given, Surroundings } from "../command.ts";
import { InputError } from "../errors.ts";
import { join, plain } from "../output.ts";
import { ID } from "./members.ts";
import { chosenProfile } from "./profiles.ts";

/** Whose import it is, and the signer that may read it. */
export type Importer = {
  readonly signerPublicKey: string;
  readonly organizationId: string;
  readonly userId: string;
};

const PARTS = {
  signerPublicKey: {
    option: "signer-public-key",
    form: /^04[0-9a-f]{128}$/,
    rule: "65 bytes in hex that begin with 04",
  },
  organizationId: { option: "organization-id", form: ID, rule: "a UUID" },
  userId: { option: "user-id", form: ID, rule: "a UUID" },
} as const;

/**
 * What a person or their profile says, without a service. A file that came over a network proves nothing about
 * itself: anyone who changed it could read what is encrypted by it.
 */
export async function importerOf(given: Given, { env }: Surroundings): Promise<Importer> {
  const profile = await chosenProfile(given, env);
  const organization = given.option("organization-id")?.toLowerCase();
  const isOther = organization !== undefined && organization !== profile?.organizationId;
  // A user is one of an organization.
  const known: Partial<Importer> = { ...profile, ...(isOther && { userId: undefined }) };
  const part = (name: keyof Importer) => {
    const { option, form, rule } = PARTS[name];
    const value = (given.option(option) ?? known[name])?.toLowerCase();
    if (value === undefined || form.test(value)) return value;
    throw new InputError(
      `--${option} must be ${rule}, but is ${JSON.stringify(plain(value.slice(0, 140)))}`,
    );
  };
  const signerPublicKey = part("signerPublicKey");
  const organizationId = part("organizationId");
  const userId = part("userId");
  if (signerPublicKey !== undefined && organizationId !== undefined && userId !== undefined) {
    return { signerPublicKey, organizationId, userId };
  }
  const missing = Object.entries({ signerPublicKey, organizationId, userId })
    .filter(([, value]) => value === undefined)
    .map(([name]) => `--${PARTS[name as keyof Importer].option}`);
  throw new InputError(
    `anyone who had the file could have changed it, so nothing is encrypted by it alone: give ${join(missing)}, or with --profile a profile that has them`,
  );
}

/** Refuses a file that is for others. Throws `Unverified`. */
export function checkImporter(file: Importer, importer: Importer): void {
  for (const name of ["signerPublicKey", "organizationId", "userId"] as const) {
    if (file[name].toLowerCase() === importer[name]) continue;
    throw new Unverified(
      `the file has another ${WORDS[name]} than you or your profile gave, so nothing was encrypted: begin the import again, and find out how the file was changed`,
      { code: "UNVERIFIED" },
    );
  }
}

const WORDS = {
  signerPublicKey: "key of the signer",
  organizationId: "organization",
  userId: "user",
} as const;
