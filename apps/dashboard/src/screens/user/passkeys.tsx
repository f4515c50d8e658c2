import {
  type Authenticator,
  createAuthenticators,
  deleteAuthenticators,
  type GetAuthenticatorsResponse,
  type User,
} from "@keyhearth/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Loaded } from "../../data/loaded.tsx";
import { useMe } from "../../data/organization.ts";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { userHandle } from "../../session/user-handle.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormRadioGroup } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

/** Only the query about passkeys knows when each was last used. */
export function Passkeys({
  user,
  isSelf,
  passkeys,
}: {
  user: User;
  isSelf: boolean;
  passkeys: UseQueryResult<GetAuthenticatorsResponse>;
}) {
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Authenticator>();
  const { submit } = useSubmit(
    (connection, id: string) =>
      deleteAuthenticators(connection, { userId: user.userId, authenticatorIds: [id] }),
    { done: "The passkey no longer works" },
  );
  return (
    <Section
      title="Passkeys"
      actions={<Button onPress={() => setAdding(true)}>Add a passkey</Button>}
    >
      <Loaded query={passkeys} what="passkeys" lines={2}>
        {({ authenticators }) =>
          authenticators.length === 0 ? (
            <Empty title="There is no passkey">
              A passkey is in a device or a security key, and nobody can copy it.
            </Empty>
          ) : (
            <Table
              label="Passkeys"
              rows={authenticators}
              keyOf={({ authenticatorId }) => authenticatorId}
              columns={[
                { name: "Name", cell: ({ authenticatorName }) => authenticatorName, isMain: true },
                { name: "Model", cell: ({ model }) => model || "Unknown" },
                {
                  name: "Last used",
                  cell: ({ lastUsedAt }) =>
                    lastUsedAt ? <Time at={lastUsedAt} /> : <span className="faint">Never</span>,
                },
                { name: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  name: "Actions",
                  cell: (passkey) => (
                    <Button
                      isSmall
                      aria-label={`Remove the passkey ${passkey.authenticatorName}`}
                      onPress={() => setRemoved(passkey)}
                    >
                      Remove
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <AddPasskeyDialog
        {...{ user, isSelf }}
        known={passkeys.data?.authenticators ?? []}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
      <ConfirmDialog
        title={`Remove the passkey ${removed?.authenticatorName ?? ""}?`}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        action="Remove the passkey"
        onConfirm={async () =>
          removed !== undefined && (await submit(removed.authenticatorId)) !== undefined
        }
      >
        <p>
          It no longer logs anybody in, and approves nothing. The device goes on offering it until
          it is deleted there too.
        </p>
      </ConfirmDialog>
    </Section>
  );
}

/** Each way ends with a passkey that only its device has. A link that adds one would be a secret that somebody could steal. */
const places = [
  {
    id: "platform",
    label: "This device.",
    hint: "Its fingerprint reader, face or PIN, or a password manager.",
  },
  {
    id: "cross-platform",
    label: "A phone, or a security key.",
    hint: "The browser shows a QR code for the phone’s camera, or asks for the key.",
  },
];

function AddPasskeyDialog({
  user,
  isSelf,
  known,
  isOpen,
  onClose,
}: {
  user: User;
  isSelf: boolean;
  known: readonly Authenticator[];
  isOpen: boolean;
  onClose: () => void;
}) {
  const { session } = useCurrent();
  const { data: me } = useMe();
  const empty = { authenticatorName: "", place: "platform" };
  const form = useForm({ defaultValues: empty });
  const { control, handleSubmit, reset } = form;
  const { submit, isBusy, error } = useSubmit(
    async (connection, { authenticatorName, place }: typeof empty) => {
      const { createPasskey } = await import("@keyhearth/sdk/browser");
      const { userId, userName, userEmail } = user;
      const passkey = await createPasskey({
        rp: { name: "Keyhearth" },
        user: {
          id: userHandle(session.organizationId),
          name: userEmail || userName,
          displayName: `${userName} (${me?.organizationName ?? "Keyhearth"})`,
        },
        authenticatorName,
        authenticatorSelection: {
          residentKey: "required",
          userVerification: "preferred",
          authenticatorAttachment: place as AuthenticatorAttachment,
        },
        // One for each authenticator is enough.
        excludeCredentials: known.map(({ credentialId }) => credentialId),
      });
      return createAuthenticators(connection, { userId, authenticators: [passkey] });
    },
    {
      form,
      done: "The passkey is registered",
      onSent: () => {
        reset(empty);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="Add a passkey"
      {...{ isOpen, onClose, isBusy, error }}
      action="Make the passkey"
      onSubmit={handleSubmit((values) =>
        submit({ ...values, authenticatorName: values.authenticatorName.trim() }),
      )}
    >
      {!isSelf && (
        <p className="soft">
          {user.userName} has to be here: whoever has the device can act as this user.
        </p>
      )}
      <FormText
        {...{ control }}
        name="authenticatorName"
        label="Name of the passkey"
        hint="Such as by the device that keeps it."
        rules={{ required: "Give the passkey a name." }}
      />
      <FormRadioGroup
        {...{ control }}
        name="place"
        label="Where it is kept"
        options={places}
        rules={{ required: "Choose one." }}
      />
      <p className="faint">
        For a device that is elsewhere, log in there with the phone’s passkey by its QR code, and
        add one on this screen.
      </p>
    </FormDialog>
  );
}
