import { type CreateUsersIntentV3, createUsers } from "@keyhearth/sdk";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { KeyFields, keyOf, noKey } from "../user/key-fields.tsx";
import type { MadeKey } from "../user/keys-made-here.ts";
import { MadeKeyDialog } from "../user/made-key.tsx";
import { nobody, PersonFields } from "./person-fields.tsx";
import type { Team } from "./team.ts";

const empty = { ...noKey, ...nobody };

/** A user who stamps with an API key, such as a program. People are invited, so that nobody else has their credential. */
export function CreateUserDialog({
  team,
  isOpen,
  onClose,
}: {
  team: Team;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { session } = useCurrent();
  const form = useForm({ defaultValues: empty });
  const { control, handleSubmit, reset } = form;
  const made = useRef<MadeKey>(undefined);
  const [shown, show] = useState<{ made: MadeKey; isWaiting: boolean }>();
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: CreateUsersIntentV3) => createUsers(connection, parameters),
    {
      form,
      done: "The user is there",
      onSent: ({ kind }) => {
        if (made.current) show({ made: made.current, isWaiting: kind === "waits" });
        made.current = undefined;
        reset(empty);
        onClose();
      },
    },
  );
  return (
    <>
      <FormDialog
        title="Create a user"
        {...{ isOpen, onClose, isBusy, error }}
        action="Create the user"
        onSubmit={handleSubmit(async ({ userName, userEmail, userTags, ...key }) => {
          const ready = await keyOf(key, session.organizationId, made.current);
          made.current = ready.made;
          await submit({
            users: [
              {
                userName: userName.trim(),
                ...(userEmail.trim() && { userEmail: userEmail.trim() }),
                userTags,
                apiKeys: [ready.params],
                authenticators: [],
                oauthProviders: [],
              },
            ],
          });
        })}
      >
        <p className="soft">
          For a program, which stamps with an API key. Invite people instead: they register a
          passkey that nobody else ever has.
        </p>
        <PersonFields {...{ control, team }} />
        <KeyFields {...{ control }} mustLast />
      </FormDialog>
      {shown && <MadeKeyDialog {...shown} onClose={() => show(undefined)} />}
    </>
  );
}
