import { deleteOauthProviders, type OauthProvider, type User } from "@keyhearth/sdk";
import { useState } from "react";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

/** Users of sub-organizations log in with them. Without one, there is nothing to show. */
export function SocialLogins({ user }: { user: User }) {
  const [removed, setRemoved] = useState<OauthProvider>();
  const { submit } = useSubmit(
    (connection, id: string) =>
      deleteOauthProviders(connection, { userId: user.userId, providerIds: [id] }),
    { done: "The social login no longer works" },
  );
  if (user.oauthProviders.length === 0) return null;
  return (
    <Section title="Social logins">
      <Table
        label="Social logins"
        rows={user.oauthProviders}
        keyOf={({ providerId }) => providerId}
        columns={[
          { name: "Provider", cell: ({ providerName }) => providerName, isMain: true },
          { name: "Issuer", cell: ({ issuer }) => <span className="mono">{issuer}</span> },
          { name: "Subject", cell: ({ subject }) => <span className="mono">{subject}</span> },
          { name: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            name: "Actions",
            cell: (provider) => (
              <Button
                isSmall
                aria-label={`Remove the social login ${provider.providerName}`}
                onPress={() => setRemoved(provider)}
              >
                Remove
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        title={`Remove the social login ${removed?.providerName ?? ""}?`}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        action="Remove it"
        onConfirm={async () =>
          removed !== undefined && (await submit(removed.providerId)) !== undefined
        }
      >
        <p>Sessions that may have begun with it end too.</p>
      </ConfirmDialog>
    </Section>
  );
}
