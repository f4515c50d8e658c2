import {
  getOrganization,
  listActivities,
  listWalletAccounts,
  type OrganizationData,
} from "@keyhearth/sdk";
import { useSearchParams } from "wouter";
import type { ScreenProps } from "../../app/screen.ts";
import { Proof } from "../../chains/proof.tsx";
import { statedOfAccount } from "../../chains/stated.ts";
import { Loaded } from "../../data/loaded.tsx";
import { usePages, useRead } from "../../data/read.ts";
import { nameOfType, Status } from "../../ui/activity-status.tsx";
import { Address, CopyText } from "../../ui/copy.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Empty, Notice } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { sentenceOf } from "../users/quorum.ts";
import { credentialsOf } from "../users/team.ts";

/** What a parent can see of it. A parent can do nothing there, so nothing here does. */
export function Screen({ params }: ScreenProps) {
  const { organizationId = "" } = params;
  const [search, setSearch] = useSearchParams();
  const read = useRead("get_organization", getOrganization, {}, { organizationId });
  return (
    <Page
      title={read.data?.organizationData.name ?? "Sub-organization"}
      crumbs={[{ title: "Sub-organizations", to: "/sub-organizations" }]}
    >
      <Loaded query={read} what="the sub-organization">
        {({ organizationData }) => (
          <>
            <Notice>
              You look at it as its parent. Only its own users can change something or sign here.
            </Notice>
            <div className="card">
              <Facts
                facts={[
                  [
                    "Id",
                    <CopyText key="id" text={organizationId} label="Copy the organization id" />,
                  ],
                  [
                    "Root quorum",
                    organizationData.rootQuorum
                      ? sentenceOf(organizationData.rootQuorum, organizationData.users ?? [])
                      : "None",
                  ],
                  [
                    "Features",
                    organizationData.features
                      ?.map(({ name }) => nameOfType(String(name).replace("FEATURE_NAME_", "")))
                      .join(", ") || "None",
                  ],
                ]}
              />
            </div>
            <Tabs
              label="Parts of the sub-organization"
              selected={search.get("show") ?? "users"}
              onSelect={(id) => setSearch({ show: id }, { replace: true })}
              tabs={[
                {
                  id: "users",
                  title: "Users",
                  children: <Users organization={organizationData} />,
                },
                {
                  id: "wallets",
                  title: "Wallets",
                  children: <Wallets organization={organizationData} {...{ organizationId }} />,
                },
                {
                  id: "policies",
                  title: "Policies",
                  children: <Policies organization={organizationData} />,
                },
                {
                  id: "activities",
                  title: "Activities",
                  children: <Activities {...{ organizationId }} />,
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Users({ organization: { users = [], rootQuorum } }: { organization: OrganizationData }) {
  return (
    <Table
      label="Users"
      rows={users}
      keyOf={({ userId }) => userId}
      columns={[
        {
          name: "Name",
          cell: ({ userId, userName }) => (
            <span className="row">
              {userName}
              {rootQuorum?.userIds.includes(userId) && <Tag tone="accent">Root</Tag>}
            </span>
          ),
          isMain: true,
        },
        { name: "Email", cell: ({ userEmail }) => userEmail ?? "" },
        { name: "Phone", cell: ({ userPhoneNumber }) => userPhoneNumber ?? "" },
        {
          name: "Credentials",
          cell: (user) =>
            [
              ...(credentialsOf(user).startsWith("None") ? [] : [credentialsOf(user)]),
              ...user.oauthProviders.map(({ providerName }) => providerName),
            ].join(", ") || "None that lasts",
        },
        { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

function Wallets({
  organization: { wallets = [] },
  organizationId,
}: {
  organization: OrganizationData;
  organizationId: string;
}) {
  if (wallets.length === 0) return <Empty title="There is no wallet" />;
  return wallets.map(({ walletId, walletName }) => (
    <Section key={walletId} title={walletName}>
      <Accounts {...{ walletId, walletName, organizationId }} />
    </Section>
  ));
}

function Accounts({
  walletId,
  walletName,
  organizationId,
}: {
  walletId: string;
  walletName: string;
  organizationId: string;
}) {
  const { query, pages } = usePages(
    "list_wallet_accounts",
    listWalletAccounts,
    { walletId },
    {
      limit: 20,
      organizationId,
      idsOf: ({ accounts }) => accounts.map(({ walletAccountId }) => walletAccountId),
    },
  );
  return (
    <>
      <Loaded query={query} what="accounts" lines={2}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Empty title="The wallet has no accounts" />
          ) : (
            <Table
              label={`Accounts of ${walletName}`}
              rows={accounts}
              keyOf={({ walletAccountId }) => walletAccountId}
              columns={[
                {
                  name: "Address",
                  cell: ({ address }) => <Address address={address} />,
                  isMain: true,
                },
                {
                  name: "Statement",
                  cell: (account) => (
                    <Proof stated={statedOfAccount({ ...account, walletId }, organizationId)} />
                  ),
                },
                {
                  name: "Format",
                  cell: ({ addressFormat }) =>
                    nameOfType(addressFormat.replace("ADDRESS_FORMAT_", "")),
                },
                { name: "Path", cell: ({ path }) => <code>{path}</code> },
                { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )
        }
      </Loaded>
      <Pager {...pages} />
    </>
  );
}

function Policies({ organization: { policies = [] } }: { organization: OrganizationData }) {
  if (policies.length === 0) {
    return <Empty title="There is no policy">Only the root quorum may do anything there.</Empty>;
  }
  return (
    <Table
      label="Policies"
      rows={policies}
      keyOf={({ policyId }) => policyId}
      columns={[
        { name: "Name", cell: ({ policyName }) => policyName, isMain: true },
        {
          name: "Effect",
          cell: ({ effect }) => (
            <Tag tone={effect === "EFFECT_ALLOW" ? "good" : "danger"}>
              {effect === "EFFECT_ALLOW" ? "Allow" : "Deny"}
            </Tag>
          ),
        },
        { name: "Consensus", cell: ({ consensus }) => <code>{consensus}</code> },
        { name: "Condition", cell: ({ condition }) => <code>{condition}</code> },
      ]}
    />
  );
}

function Activities({ organizationId }: { organizationId: string }) {
  const { query, pages } = usePages(
    "list_activities",
    listActivities,
    {},
    {
      limit: 20,
      everyMs: 2000,
      organizationId,
      isNewestFirst: true,
      idsOf: ({ activities }) => activities.map(({ id }) => id),
    },
  );
  return (
    <>
      <Loaded query={query} what="activities">
        {({ activities }) =>
          activities.length === 0 ? (
            <Empty title="Nothing has happened yet" />
          ) : (
            <Table
              label="Activities"
              rows={activities}
              keyOf={({ id }) => id}
              columns={[
                { name: "Activity", cell: ({ type }) => nameOfType(type), isMain: true },
                { name: "Status", cell: ({ status }) => <Status status={status} /> },
                { name: "By", cell: ({ votes }) => votes[0]?.user.userName ?? "" },
                { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )
        }
      </Loaded>
      <Pager {...pages} />
    </>
  );
}
