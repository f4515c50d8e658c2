/**
 * Operations whose requests the fuzzer hardly ever gets accepted, and why. Their refusals are attacked all the
 * same, and other tests lead each of them to its success.
 */
const reasons: Record<string, string[]> = {
  "Needs a new passkey's attestation of a challenge.": [
    "accept_invitation ACTIVITY_TYPE_ACCEPT_INVITATION",
    "accept_invitation ACTIVITY_TYPE_ACCEPT_INVITATION_V2",
    "create_sub_organization ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION",
  ],
  "Needs a code from a message.": [
    "otp_auth ACTIVITY_TYPE_OTP_AUTH",
    "otp_login ACTIVITY_TYPE_OTP_LOGIN",
    "otp_login ACTIVITY_TYPE_OTP_LOGIN_V2",
    "verify_otp ACTIVITY_TYPE_VERIFY_OTP",
    "verify_otp ACTIVITY_TYPE_VERIFY_OTP_V2",
  ],
  "Needs a token of an OpenID provider.": [
    "oauth ACTIVITY_TYPE_OAUTH",
    "oauth_login ACTIVITY_TYPE_OAUTH_LOGIN",
  ],
  "Needs an organization that others may create.": [
    "create_organization ACTIVITY_TYPE_CREATE_ORGANIZATION",
    "create_organization ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
    "delete_organization ACTIVITY_TYPE_DELETE_ORGANIZATION",
  ],
  "Needs an activity that waits, and few organizations get a second root user whose vote counts.": [
    "reject_activity ACTIVITY_TYPE_REJECT_ACTIVITY",
  ],
};

export const unreached: ReadonlySet<string> = new Set(Object.values(reasons).flat());
