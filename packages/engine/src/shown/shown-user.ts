import * as z from "zod";
import { recordRefused } from "../errors.ts";
import { isUuid } from "../fields/schemas.ts";

const text = z.string();
const id = text.refine(isUuid);
const time = z.strictObject({ seconds: text, nanos: text });
const times = { createdAt: time, updatedAt: time };
const credential = z.strictObject({ publicKey: text, type: text });

/** A user of a vote as events show them. The order of members is the wire's. */
const ShownUser = z.strictObject({
  userId: id,
  userName: text,
  userEmail: text.optional(),
  userPhoneNumber: text.optional(),
  authenticators: z.array(
    z.strictObject({
      transports: z.array(text),
      attestationType: text,
      aaguid: text,
      credentialId: text,
      model: text,
      credential,
      authenticatorId: id,
      authenticatorName: text,
      ...times,
    }),
  ),
  apiKeys: z.array(z.strictObject({ credential, apiKeyId: id, apiKeyName: text, ...times })),
  userTags: z.array(id),
  oauthProviders: z.array(
    z.strictObject({
      providerId: id,
      providerName: text,
      issuer: text,
      audience: text,
      subject: text,
      ...times,
    }),
  ),
  ...times,
  mfaPolicies: z.tuple([]),
});

/** The user of this vote. What they are is the host's word, but its form is checked: it is signed. */
export function readShownUser(user: unknown, userId: string): z.output<typeof ShownUser> {
  const { success, data } = ShownUser.safeParse(user);
  if (!success || data.userId !== userId) throw recordRefused("a vote without its user");
  return data;
}
