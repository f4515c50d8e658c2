import { useState } from "react";
import { useSearchParams } from "wouter";
import { Loaded } from "../../data/loaded.tsx";
import { useOrganization } from "../../data/organization.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { CreateUserDialog } from "./create-user.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite.tsx";
import { People } from "./people.tsx";
import { RootQuorum } from "./root-quorum.tsx";
import { Tags } from "./tags.tsx";
import { peopleOf } from "./team.ts";

/** The tabs are in the address, so a link leads to each. */
export function Screen() {
  const organization = useOrganization();
  const [search, setSearch] = useSearchParams();
  const [open, setOpen] = useState<"invite" | "create">();
  const close = () => setOpen(undefined);
  return (
    <Page
      title="Users"
      intro="People and programs that can act in this organization."
      actions={
        <>
          <Button onPress={() => setOpen("create")}>Create a user</Button>
          <Button kind="primary" onPress={() => setOpen("invite")}>
            Invite somebody
          </Button>
        </>
      }
    >
      <Loaded query={organization} what="users" lines={6}>
        {({ organizationData }) => {
          const team = peopleOf(organizationData);
          return (
            <>
              <Tabs
                label="Users"
                selected={search.get("show") ?? "people"}
                onSelect={(id) => setSearch(id === "people" ? {} : { show: id }, { replace: true })}
                tabs={[
                  { id: "people", title: "People", children: <People team={team} /> },
                  {
                    id: "invitations",
                    title:
                      team.invitations.length === 0
                        ? "Invitations"
                        : `Invitations (${team.invitations.length})`,
                    children: <Invitations team={team} />,
                  },
                  { id: "tags", title: "Tags", children: <Tags team={team} /> },
                  { id: "quorum", title: "Root quorum", children: <RootQuorum team={team} /> },
                ]}
              />
              <InviteDialog {...{ team }} isOpen={open === "invite"} onClose={close} />
              <CreateUserDialog {...{ team }} isOpen={open === "create"} onClose={close} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
