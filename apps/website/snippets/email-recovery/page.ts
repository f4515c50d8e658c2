import { Connection, whoami } from "@keyhearth/sdk";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";
import { askForRecovery, readLink, recover } from "../browser/email-recovery.ts";

// The page: it asks for the mail, and the mail's link opens it again.

const backend = {
  async sendRecoveryMail(request: object) {
    const headers = { "content-type": "application/json" };
    await fetch("/recovery-mail", { method: "POST", headers, body: JSON.stringify(request) });
  },
};

function button(label: string, work: () => Promise<string>): void {
  const element = document.createElement("button");
  const status = document.createElement("p");
  element.textContent = label;
  element.onclick = async () => {
    element.disabled = true;
    status.textContent = await work().catch((error: Error) => error.message);
  };
  document.body.append(element, status);
}

const { baseUrl, email } = document.body.dataset as { baseUrl: string; email: string };
const link = readLink();
if (link) {
  button("Make a new passkey", async () => {
    await recover(baseUrl, link);
    const stamper = new WebAuthnStamper({ rpId: location.hostname });
    const { organizationId } = link;
    const { userId } = await whoami(new Connection({ baseUrl, organizationId, stamper }));
    return userId === link.userId ? "Your new passkey works." : "That is another user.";
  });
} else {
  button(`Send a mail to ${email}`, async () => {
    await askForRecovery(backend, email);
    return "If we know this address, you have mail now.";
  });
}
