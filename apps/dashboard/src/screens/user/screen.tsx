import {
  deleteUsers,
  type GetUserResponse,
  getAuthenticators,
  getUser,
  type User,
} from "@keyhearth/sdk";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ScreenProps } from "../../app/screen.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useOrganization } from "../../data/organization.ts";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Facts, Page } from "../../ui/page.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { isRoot, nameOfTag, peopleOf, type Team } from "../users/team.ts";
import { ApiKeys } from "./api-keys.tsx";
import { EditUserDialog } from "./edit-user.tsx";
import { Passkeys } from "./passkeys.tsx";
import { SocialLogins } from "./social-logins.tsx";

export function Screen({ params }: ScreenProps) {
  const { userId = "" } = params;
  const { session } = useCurrent();
  const read = useRead("get_user", getUser, { userId });
  const organization = useOrganization();
  const passkeys = useRead("get_authenticators", getAuthenticators, { userId });
  const [open, setOpen] = useState<"edit" | "delete">();
  const shown = read.data?.user;
  const team = organization.data && peopleOf(organization.data.organizationData);
  const isSelf = userId === session.userId;
  return (
    <Page
      title={shown?.userName ?? "User"}
      crumbs={[{ title: "Users", to: "/users" }]}
      actions={
        shown && (
          <Menu
            label="What can be done with the user"
            trigger={<Button>Change</Button>}
            entries={[
              { id: "edit", label: "Name, contacts and tags", onAction: () => setOpen("edit") },
              "separator",
              {
                id: "delete",
                label: "Remove the user",
                isDanger: true,
                onAction: () => setOpen("delete"),
              },
            ]}
          />
        )
      }
    >
      <Loaded query={read} what="the user">
        {(answer) => {
          const user = aboutUser(answer, userId);
          return (
            <>
              <div className="card">
                <Profile {...{ user, team, isSelf }} />
              </div>
              <Passkeys {...{ user, isSelf, passkeys }} />
              <ApiKeys {...{ user, isSelf }} />
              <SocialLogins user={user} />
              {team && (
                <EditUserDialog
                  key={user.userId}
                  {...{ user, team }}
                  isOpen={open === "edit"}
                  onClose={() => setOpen(undefined)}
                />
              )}
              <RemoveDialog
                {...{ user, team, isSelf }}
                isOpen={open === "delete"}
                onClose={() => setOpen(undefined)}
              />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** The screen acts on the user of its address, also if the service answers with the id of another one. */
function aboutUser({ user }: GetUserResponse, userId: string): User {
  return { ...user, userId };
}

function Profile({ user, team, isSelf }: { user: User; team: Team | undefined; isSelf: boolean }) {
  const { userTags } = user;
  return (
    <Facts
      facts={[
        ["Id", <CopyText key="id" text={user.userId} label="Copy the user id" />],
        ...(isSelf ? ([["This is", "you"]] as const) : []),
        ["Email", user.userEmail || "None"],
        ["Phone", user.userPhoneNumber || "None"],
        [
          "Tags",
          <span key="tags" className="row">
            {team && isRoot(team, user) && <Tag tone="accent">Root</Tag>}
            {team && userTags.map((id) => <Tag key={id}>{nameOfTag(team, id)}</Tag>)}
            {team && !isRoot(team, user) && userTags.length === 0 && "None"}
          </span>,
        ],
        ["Created", <Time key="created" at={user.createdAt} />],
      ]}
    />
  );
}

function RemoveDialog({
  user,
  team,
  isSelf,
  isOpen,
  onClose,
}: {
  user: User;
  team: Team | undefined;
  isSelf: boolean;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const { submit } = useSubmit(
    (connection, userId: string) => deleteUsers(connection, { userIds: [userId] }),
    {
      done: `${user.userName} is removed`,
      onSent: ({ kind }) => {
        if (kind === "done") navigate("/users");
      },
    },
  );
  return (
    <ConfirmDialog
      title={`Remove ${user.userName}?`}
      {...{ isOpen, onClose }}
      action="Remove the user"
      typed={user.userName}
      onConfirm={async () => (await submit(user.userId)) !== undefined}
    >
      <p>
        {isSelf ? "You are logged out" : `${user.userName} is logged out`} everywhere, and all
        passkeys, API keys and invitations of this user stop working. Nothing brings the user back.
      </p>
      {team && isRoot(team, user) && (
        <p>
          This is a root user: take the user out of the root quorum first, or the service refuses.
        </p>
      )}
    </ConfirmDialog>
  );
}
