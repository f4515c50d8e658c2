import type { OtpType } from "@keyhearth/crypto/tokens/verification-token";
import { defineRecord } from "./define.ts";
import { countsByVotesAlone } from "./votes-only.ts";

/**
 * A one-time code that was sent to a contact. It is written once, and no document lists it unless votes decided it: how often it was
 * tried is in the memory of the signer's run that made it, and so it counts only there.
 */
export type Otp = {
  otpId: string;
  /** The activity that sent it: its code counts for nothing else. */
  sentBy: "init_otp" | "init_otp_auth";
  /** The user whom init_otp_auth sent it to. */
  userId: string | null;
  type: OtpType;
  contact: string;
  /** A hash of the code under a key of the signer, in base64url. Only the message has the code. */
  codeHash: string;
  /** The run of the signer that made it. */
  run: string;
  createdAtMs: number;
  expiresAtMs: number;
  /** Set if votes decided it. The document of the same proposal lists the value. */
  votedAs?: string;
  /** Names the request if votes did not decide it. */
  request?: string;
};

export const otp = defineRecord({
  type: "otp",
  schema: 1,
  upcasts: {},
  idOf: ({ otpId }: Otp) => otpId,
  answers: {
    otp: ({ header }, { otpId }: { otpId: string }) => header.id === otpId,
  },
  // The signer's memory vouches for it, and the document for what votes decided.
  isBound({ body: { votedAs, request } }, document) {
    if (votedAs === undefined) return !countsByVotesAlone(document, request);
    return (document.votedCodes ?? []).some(({ value }) => value === votedAs);
  },
  finders: ({ records }) => ({
    otp(otpId: string): Otp | null {
      return records.find(({ header }) => header.id === otpId)?.body ?? null;
    },
  }),
  write: { name: "otp" },
});
