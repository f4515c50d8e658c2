import type { KeyhearthClient } from "@keyhearth/sdk";
import type { CodeBackend } from "@keyhearth/sdk/browser";
import { createEmailUser } from "./email-user.ts";

type Request = Parameters<NonNullable<CodeBackend["otpLogin"]>>[0];

/** One visit of one person. The page calls these functions, and your server keeps what it learned. */
export function startVisit(parent: KeyhearthClient) {
  let asked = { otpId: "", contact: "" };
  let verified: string | undefined;
  return {
    async initOtp({ otpType, contact }: Parameters<CodeBackend["initOtp"]>[0]) {
      if (otpType !== "OTP_TYPE_EMAIL") throw new Error("only email addresses can sign up here");
      const sent = await parent.initOtp({ otpType, contact, appName: "Example" });
      asked = { otpId: sent.otpId, contact };
      return sent;
    },

    async verifyOtp({ otpId, encryptedOtpBundle }: Parameters<CodeBackend["verifyOtp"]>[0]) {
      if (otpId !== asked.otpId) throw new Error("this code was asked for in another visit");
      const { contact } = asked;
      const { verificationToken } = await parent.verifyOtp({ otpId, encryptedOtpBundle });
      verified = contact;
      return { verificationToken };
    },

    /** Signs people up at their first login. */
    async otpLogin(request: Request) {
      if (!verified) throw new Error("the code comes first");
      // Only addresses that somebody proved: anyone can write a stranger's into their own organization.
      const filter = { filterType: "EMAIL", filterValue: verified } as const;
      const [known] = (await parent.listVerifiedSuborgs(filter)).organizationIds;
      const organizationId = known ?? (await createEmailUser(parent, verified)).subOrganizationId;
      return parent.otpLogin(request, { organizationId });
    },
  };
}
