import { acceptInvitation, Connection } from "@keyhearth/sdk";
import { type Invitation, prepareAcceptance } from "@keyhearth/sdk/browser";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";

/** What people typed or opened from the mail stays in the page: the request has only a proof of the token. */
export async function accept(baseUrl: string, invitation: Invitation, name: string) {
  const rp = { id: location.hostname, name: "Example" };
  const parameters = await prepareAcceptance(invitation, { rp, user: { name } });
  const { credentialId } = parameters.authenticator.attestation;
  const stamper = new WebAuthnStamper({ rpId: rp.id, allowCredentials: [credentialId] });
  const { organizationId } = invitation;
  return acceptInvitation(new Connection({ baseUrl, organizationId, stamper }), parameters);
}
