import { InvalidCredential } from "@keyhearth/sdk";
import { logInWithPasskey } from "@keyhearth/sdk/browser";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { FormProblem } from "../../ui/states.tsx";
import { useKnownOrganizations } from "../known.ts";
import { NeedsName } from "../needs-name.tsx";
import { askForPasskey } from "../passkey-owner.ts";
import { isId } from "../remembered.ts";
import type { WayProps } from "../way.ts";

const FINDING = "finding";

/** A known organization is a button. For another one, the passkey may say where it belongs, or people enter the id. */
export function Way({ keeper, organizationId, expirationSeconds }: WayProps) {
  const { named: ofAddress, known } = useKnownOrganizations();
  const named = organizationId ?? ofAddress;
  const offered =
    named === undefined
      ? known
      : [known.find(({ id }) => id === named) ?? { id: named, name: "this organization" }];
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<string>();
  const [wantsOther, setOther] = useState(false);
  const isOther = wantsOther || offered.length === 0;
  const { control, handleSubmit } = useForm({ defaultValues: { organizationId: "" } });

  const attempt = async (name: string, work: () => Promise<unknown>) => {
    setBusy(name);
    setError(undefined);
    try {
      await work();
    } catch (cause) {
      setError(cause);
      setBusy(undefined);
      if (cause instanceof InvalidCredential) setOther(true);
    }
  };
  const logIn = (id: string) =>
    attempt(id, () => logInWithPasskey(keeper, { organizationId: id, expirationSeconds }));
  const findAndLogIn = () =>
    attempt(FINDING, async () => {
      const { organizationId: found, credentialId } = await askForPasskey();
      await logInWithPasskey(keeper, {
        organizationId: found,
        allowCredentials: [credentialId],
        expirationSeconds,
      });
    });

  return (
    <div className="stack">
      <NeedsName />
      <FormProblem error={error} />
      {offered.map(({ id, name }, index) => (
        <Button
          key={id}
          kind={index === 0 ? "primary" : "secondary"}
          isPending={busy === id}
          isDisabled={busy !== undefined && busy !== id}
          onPress={() => void logIn(id)}
        >
          Log in to {name}
        </Button>
      ))}
      {named === undefined && (
        <Button
          kind="secondary"
          isPending={busy === FINDING}
          isDisabled={busy !== undefined && busy !== FINDING}
          onPress={() => void findAndLogIn()}
        >
          Find my organization by my passkey
        </Button>
      )}
      {isOther ? (
        <form
          className="stack"
          onSubmit={handleSubmit((values) => logIn(values.organizationId.trim().toLowerCase()))}
        >
          <FormText
            {...{ control }}
            name="organizationId"
            label="Organization id"
            hint="It is in the link that you got when the organization was created or when you were invited. For a sub-organization, its parent's id will do."
            isMono
            autoComplete="off"
            rules={{
              required: "Enter the id of your organization.",
              validate: (text) =>
                isId(text.trim().toLowerCase()) ||
                "An id has 32 hexadecimal digits in five groups, such as 2a1f0c3e-….",
            }}
          />
          <Button
            type="submit"
            kind={offered.length === 0 ? "primary" : "secondary"}
            isPending={busy !== undefined}
          >
            Log in with a passkey
          </Button>
        </form>
      ) : (
        organizationId === undefined && (
          <Button kind="quiet" isSmall onPress={() => setOther(true)}>
            Another organization
          </Button>
        )
      )}
    </div>
  );
}
