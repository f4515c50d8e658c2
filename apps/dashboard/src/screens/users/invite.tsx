import { type CreateInvitationsIntent, createInvitations } from "@keyhearth/sdk";
import { useForm } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/states.tsx";
import { nobody, PersonFields } from "./person-fields.tsx";
import type { Team } from "./team.ts";

/** As the service calls the fields. */
const renamed = {
  receiverUserName: "userName",
  receiverUserEmail: "userEmail",
  receiverUserTags: "userTags",
} as const;

/** The service mails a code, with which somebody registers a passkey of their own. Nobody else ever has it. */
export function InviteDialog({
  team,
  isOpen,
  onClose,
}: {
  team: Team;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { session } = useCurrent();
  const form = useForm({ defaultValues: nobody });
  const { control, handleSubmit, reset } = form;
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: CreateInvitationsIntent) => createInvitations(connection, parameters),
    {
      ...{ form, renamed },
      done: () => ({
        title: "The invitation is on its way",
        text: "The mail says how to accept it. It works once, within a week.",
      }),
      onSent: () => {
        reset(nobody);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="Invite somebody"
      {...{ isOpen, onClose, isBusy, error }}
      action="Send the invitation"
      onSubmit={handleSubmit(({ userName, userEmail, userTags }) =>
        submit({
          invitations: [
            {
              receiverUserName: userName.trim(),
              receiverUserEmail: userEmail.trim(),
              receiverUserTags: userTags,
              accessType: "ACCESS_TYPE_ALL",
              senderUserId: session.userId,
            },
          ],
        }),
      )}
    >
      <PersonFields {...{ control, team }} mustHaveEmail />
      <Notice>
        Until a policy, a tag or the root quorum says otherwise, a new user can read the
        organization and ask for things, and nothing happens without somebody who may approve it.
      </Notice>
    </FormDialog>
  );
}
