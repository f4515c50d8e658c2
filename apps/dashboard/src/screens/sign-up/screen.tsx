import {
  type AuthenticatorParamsV2,
  createOrganization,
  type Stamper,
  Unverified,
} from "@keyhearth/sdk";
import { createPasskey, logInWithPasskey, type SessionKeeper } from "@keyhearth/sdk/browser";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link, useLocation } from "wouter";
import { fieldErrors } from "../../data/field-errors.ts";
import { useVisitor } from "../../session/current.tsx";
import { SESSION_SECONDS } from "../../session/lifetime.ts";
import { NeedsName } from "../../session/needs-name.tsx";
import { remember } from "../../session/remembered.ts";
import type { Service } from "../../session/service.ts";
import { basePath } from "../../session/service-address.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { useTitle } from "../../ui/page.tsx";
import { FormProblem, Notice } from "../../ui/states.tsx";

type Props = { service: Service; keeper: SessionKeeper };

export function Screen() {
  const { service, keeper } = useVisitor();
  useTitle("Create an organization");
  const [founded, setFounded] = useState<Founded>();
  if (!service.isOpenForSignup) return <Closed />;
  if (founded) return <Created {...{ founded, keeper }} />;
  return <SignUpForm {...{ service, keeper }} onFounded={setFounded} />;
}

function Closed() {
  return (
    <>
      <h1 tabIndex={-1}>Ask your operator</h1>
      <p>
        This service does not let visitors create organizations. Ask the people who run it for an
        invitation or for a sub-organization, or to open sign-up with{" "}
        <code>KEYHEARTH_SIGNUP=open</code>.
      </p>
      <p>
        <Link href="/">Log in</Link>
      </p>
    </>
  );
}

type Founded = { organizationId: string; name: string; credentialId: string };

function SignUpForm({
  service,
  keeper,
  onFounded,
}: Props & { onFounded: (founded: Founded) => void }) {
  const { control, handleSubmit, setError } = useForm({
    defaultValues: { organizationName: "", rootUserName: "", rootEmail: "" },
  });
  const [error, fail] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  // A passkey that was made stays on the device, so another try uses it.
  const [passkey, setPasskey] = useState<AuthenticatorParamsV2>();

  const found = handleSubmit(async ({ organizationName, rootUserName, rootEmail }) => {
    setBusy(true);
    fail(undefined);
    try {
      const rootAuthenticator =
        passkey ??
        (await createPasskey({
          rp: { name: "Keyhearth" },
          user: {
            name: rootEmail || rootUserName,
            displayName: `${rootUserName} (${organizationName})`,
          },
          authenticatorName: "First passkey",
          authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
        }));
      setPasskey(rootAuthenticator);
      const { credentialId } = rootAuthenticator.attestation;
      const passkeyStamper = new WebAuthnStamper({ allowCredentials: [credentialId] });
      let asked = "";
      const stamper: Stamper = {
        stamp(body) {
          // Later stamps ask for the outcome.
          asked ||= body;
          return passkeyStamper.stamp(body);
        },
      };
      const connection = keeper.connectionFor(stamper, service.rootOrganizationId);
      const { organizationId, activity } = await createOrganization(
        connection,
        {
          organizationName,
          rootUserName,
          ...(rootEmail && { rootEmail }),
          rootAuthenticator,
        },
        { generateAppProofs: true },
      );
      const { quorumPublicKey } = service;
      if (quorumPublicKey !== undefined) {
        const { isFoundedBy } = await import("../../session/founded.ts");
        const named = { organizationId, proofs: activity.appProofs ?? [] };
        if (!isFoundedBy(asked, named, quorumPublicKey)) throw notFounded();
      }
      remember({ id: organizationId, name: organizationName });
      onFounded({ organizationId, name: organizationName, credentialId });
    } catch (cause) {
      const { atFields, rest } = fieldErrors(cause, [
        "organizationName",
        "rootUserName",
        "rootEmail",
      ]);
      for (const { name, message } of atFields) setError(name, { message }, { shouldFocus: true });
      fail(rest);
    } finally {
      setBusy(false);
    }
  });

  return (
    <>
      <h1 tabIndex={-1}>Create an organization</h1>
      <NeedsName />
      <form className="stack" onSubmit={found}>
        <FormText
          {...{ control }}
          name="organizationName"
          label="Name of the organization"
          autoComplete="organization"
          rules={{ required: "Give the organization a name." }}
        />
        <FormText
          {...{ control }}
          name="rootUserName"
          label="Your name"
          autoComplete="name"
          rules={{ required: "Enter your name: others see it when you approve." }}
        />
        <FormText
          {...{ control }}
          name="rootEmail"
          label="Your email address"
          type="email"
          autoComplete="email"
        />
        <FormProblem error={error} />
        <Button type="submit" kind="primary" isPending={isBusy}>
          Create it with a passkey
        </Button>
        <p className="faint">
          Your device asks twice: to make a passkey, and to sign the request that founds the
          organization with it. Nobody else ever has it, so add a second one afterwards.
        </p>
      </form>
      <p className="soft">
        You have one already? <Link href="/">Log in</Link>
      </p>
    </>
  );
}

function notFounded(): Unverified {
  return new Unverified(
    "The signer has not stated that your request founded the organization that the service names, which may be somebody else's. Do not use it, and ask your operator",
    { code: "UNVERIFIED" },
  );
}

function Created({ founded, keeper }: { founded: Founded; keeper: SessionKeeper }) {
  const { organizationId, name, credentialId } = founded;
  const [, navigate] = useLocation();
  const [error, fail] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const link = `${location.origin}${basePath}/?organization=${organizationId}`;
  const logIn = async () => {
    setBusy(true);
    fail(undefined);
    try {
      await logInWithPasskey(keeper, {
        organizationId,
        expirationSeconds: SESSION_SECONDS,
        allowCredentials: [credentialId],
      });
      navigate("/", { replace: true });
    } catch (cause) {
      fail(cause);
      setBusy(false);
    }
  };
  return (
    <>
      <h1 tabIndex={-1}>{name} is there</h1>
      <Notice tone="good">
        <p>This browser remembers it. In another one, this link leads back to it.</p>
      </Notice>
      <div className="stack-small">
        <span className="field-label">Organization id</span>
        <CopyText text={organizationId} label="Copy the organization id" />
        <span className="field-label">Link to come back</span>
        <CopyText text={link} label="Copy the link" />
      </div>
      <FormProblem error={error} />
      <Button kind="primary" isPending={isBusy} onPress={() => void logIn()}>
        Log in with the new passkey
      </Button>
    </>
  );
}
