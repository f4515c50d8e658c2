import { acceptInvitation } from "@keyhearth/sdk";
import { prepareAcceptance } from "@keyhearth/sdk/browser";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "wouter";
import { fieldErrors } from "../../data/field-errors.ts";
import { useVisitor } from "../../session/current.tsx";
import { isId, remember } from "../../session/remembered.ts";
import { userHandle } from "../../session/user-handle.ts";
import { Button } from "../../ui/button.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { useTitle } from "../../ui/page.tsx";
import { FormProblem, Notice } from "../../ui/states.tsx";

const names = ["organizationId", "invitationId", "userId", "token"] as const;

/** Accepts what the mail of an invitation says. The code stays in this browser: the request only proves that it was there. */
export function Screen() {
  useTitle("Accept an invitation");
  const { keeper } = useVisitor();
  const { control, handleSubmit, setError } = useForm({
    defaultValues: { ...idsOfAddress(), token: "", name: "" },
  });
  const [error, fail] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [accepted, setAccepted] = useState<string>();

  const accept = handleSubmit(async ({ name, ...typed }) => {
    // People copy with spaces around, and mail programs add some.
    const invitation = {
      organizationId: typed.organizationId.trim().toLowerCase(),
      invitationId: typed.invitationId.trim().toLowerCase(),
      userId: typed.userId.trim().toLowerCase(),
      token: typed.token.trim(),
    };
    setBusy(true);
    fail(undefined);
    try {
      const { organizationId } = invitation;
      const parameters = await prepareAcceptance(invitation, {
        rp: { name: "Keyhearth" },
        user: { id: userHandle(organizationId), name },
        authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
      });
      const { credentialId } = parameters.authenticator.attestation;
      const stamper = new WebAuthnStamper({ allowCredentials: [credentialId] });
      await acceptInvitation(keeper.connectionFor(stamper, organizationId), parameters);
      remember({ id: organizationId, name: "the organization that invited you" });
      setAccepted(organizationId);
    } catch (cause) {
      const { atFields, rest } = fieldErrors(cause, names);
      for (const { name, message } of atFields) setError(name, { message }, { shouldFocus: true });
      fail(rest);
    } finally {
      setBusy(false);
    }
  });

  if (accepted !== undefined) {
    return (
      <>
        <h1 tabIndex={-1}>You are in</h1>
        <Notice tone="good">Your passkey is registered.</Notice>
        <Link href={`/?organization=${accepted}`}>Log in</Link>
      </>
    );
  }
  return (
    <>
      <h1 tabIndex={-1}>Accept an invitation</h1>
      <form className="stack" onSubmit={accept} autoComplete="off">
        <FormText
          {...{ control }}
          name="token"
          label="Invitation code"
          isMono
          hint="It is in the mail. It stays in this browser: the request only proves that you have it."
          rules={required}
        />
        <FormText
          {...{ control }}
          name="name"
          label="Name of your passkey"
          hint="Such as by the device that keeps it."
          rules={{ required: "Name it, such as by the device that keeps it." }}
        />
        <FormText
          {...{ control }}
          name="organizationId"
          label="Organization id"
          isMono
          rules={id}
        />
        <FormText {...{ control }} name="invitationId" label="Invitation id" isMono rules={id} />
        <FormText {...{ control }} name="userId" label="Your user id" isMono rules={id} />
        <FormProblem error={error} />
        <Button type="submit" kind="primary" isPending={isBusy}>
          Accept with a new passkey
        </Button>
      </form>
    </>
  );
}

const required = { required: "Copy it from the mail of the invitation." };

const id = {
  ...required,
  validate: (text: string) =>
    isId(text.trim().toLowerCase()) ||
    "An id has 32 hexadecimal digits in five groups, such as 2a1f0c3e-….",
};

/** The link in the mail has the ids, which are not secret. The code is in the mail alone, and never in an address. */
function idsOfAddress() {
  const given = new URLSearchParams(location.search);
  const idIn = (name: string) => {
    const text = given.get(name)?.toLowerCase() ?? "";
    return isId(text) ? text : "";
  };
  return {
    organizationId: idIn("organization"),
    invitationId: idIn("invitation"),
    userId: idIn("user"),
  };
}
