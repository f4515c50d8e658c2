import * as z from "zod";
import { ExpirationSeconds } from "./credentials.ts";
import { isPointOfP256, OrganizationId, UserId } from "./schemas.ts";

/** Field types that the ways to log in share. */

const PublicKeyText = z
  .string()
  .regex(
    /^0[23][0-9a-fA-F]{64}$/,
    "expected a compressed P-256 public key in hex: 66 characters, without 0x",
  )
  .refine(isPointOfP256, "expected a P-256 public key, but this is not a point on the curve");

const aboutPublicKey = "Public key of the session, made by the client: P-256, compressed, in hex.";
const examples = ["03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17"];

export const SessionPublicKey = PublicKeyText.transform((value) => value.toLowerCase())
  .pipe(z.string())
  .describe(aboutPublicKey)
  .meta({ examples });

/** Unchanged, for those who compare the text with a digest of it. */
export const SessionPublicKeyAsSent = PublicKeyText.describe(aboutPublicKey).meta({ examples });

export const SessionSeconds = ExpirationSeconds.pipe(z.string())
  .describe("Lifetime of the session in seconds, as a decimal string. 900 by default.")
  .optional();

export const InvalidateExisting = z
  .boolean()
  .describe("Whether to end the user's other sessions of the same kind.")
  .optional();

export const SessionJwt = z
  .string()
  .describe(
    "A signed JWT that describes the session. It authenticates nobody: the key of the session stamps requests. Its claim `proof_digest` is the SHA-256 of what proved who logs in, so that the client recognizes the answer to its own login. After a login with `X-Stamp-Attested`, `attestation_digest` is the SHA-256 of the token in that header.",
  )
  .meta({ examples: ["eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl"] });

/** Whose session it is, in results. */
export const sessionOwner = {
  organizationId: OrganizationId,
  organizationName: z.string().describe("Name of the organization."),
  userId: UserId,
  username: z.string().describe("Name of the user."),
};
