import { deleteInvitation, type Invitation } from "@keyhearth/sdk";
import { useState } from "react";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { msOf } from "../../ui/words-of-time.ts";
import { nameOfTag, type Team } from "./team.ts";

const WEEK_MS = 7 * 86_400_000;

export function Invitations({ team }: { team: Team }) {
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  const { submit } = useSubmit(
    (connection, invitationId: string) => deleteInvitation(connection, { invitationId }),
    { done: "The invitation no longer works" },
  );
  if (team.invitations.length === 0) {
    return (
      <Empty title="No invitation is open">
        People who accept one register a passkey of their own, and become users.
      </Empty>
    );
  }
  const nameOfSender = (id: string) =>
    team.users.find(({ userId }) => userId === id)?.userName ?? "a deleted user";
  return (
    <>
      <Table
        label="Invitations"
        rows={team.invitations}
        keyOf={({ invitationId }) => invitationId}
        columns={[
          { name: "Name", cell: ({ receiverUserName }) => receiverUserName, isMain: true },
          { name: "Email", cell: ({ receiverEmail }) => receiverEmail },
          {
            name: "Tags",
            cell: ({ receiverUserTags }) => (
              <span className="row">
                {receiverUserTags.map((id) => (
                  <Tag key={id}>{nameOfTag(team, id)}</Tag>
                ))}
              </span>
            ),
          },
          { name: "Sent by", cell: ({ senderUserId }) => nameOfSender(senderUserId) },
          { name: "Sent", cell: ({ createdAt }) => <Time at={createdAt} /> },
          { name: "Ends", cell: ({ createdAt }) => <Time at={msOf(createdAt) + WEEK_MS} /> },
          {
            name: "Actions",
            cell: (invitation) => (
              <Button
                isSmall
                aria-label={`Withdraw the invitation of ${invitation.receiverUserName}`}
                onPress={() => setWithdrawn(invitation)}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        title="Withdraw the invitation?"
        isOpen={withdrawn !== undefined}
        onClose={() => setWithdrawn(undefined)}
        action="Withdraw it"
        onConfirm={async () =>
          withdrawn !== undefined && (await submit(withdrawn.invitationId)) !== undefined
        }
      >
        <p>
          The code in the mail to {withdrawn?.receiverEmail} stops working. You can send another
          invitation at any time.
        </p>
      </ConfirmDialog>
    </>
  );
}
