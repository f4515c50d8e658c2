import {
  deleteOrganization,
  deleteSubOrganization,
  InvalidField,
  type OrganizationData,
  type UpdateOrganizationNameIntent,
  updateOrganizationName,
} from "@keyhearth/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Loaded } from "../../data/loaded.tsx";
import { useOrganization } from "../../data/organization.ts";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { basePath } from "../../session/service-address.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/fields.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { FormProblem, Notice } from "../../ui/states.tsx";

export function OrganizationTab() {
  const organization = useOrganization();
  return (
    <Loaded query={organization} what="the organization">
      {({ organizationData }) => (
        <>
          <NameForm name={organizationData.name ?? ""} />
          <Addresses />
          <Deletion organization={organizationData} />
        </>
      )}
    </Loaded>
  );
}

function NameForm({ name }: { name: string }) {
  const form = useForm({
    values: { organizationName: name },
    resetOptions: { keepDirtyValues: true },
  });
  const { control, handleSubmit, formState } = form;
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: UpdateOrganizationNameIntent) =>
      updateOrganizationName(connection, parameters),
    { form, done: "The organization has its new name" },
  );
  return (
    <form
      className="card stack"
      noValidate
      onSubmit={handleSubmit(({ organizationName }) =>
        submit({ organizationName: organizationName.trim() }),
      )}
    >
      <FormText
        {...{ control }}
        name="organizationName"
        label="Name"
        hint="People see it when they log in and in mails. It need not be unique."
        rules={{ required: "Give the organization a name." }}
      />
      <FormProblem error={error} />
      <div className="row">
        <Button type="submit" kind="primary" isPending={isBusy} isDisabled={!formState.isDirty}>
          Save the name
        </Button>
      </div>
    </form>
  );
}

function Addresses() {
  const { session, service } = useCurrent();
  const { organizationId } = session;
  const link = `${location.origin}${basePath}/?organization=${organizationId}`;
  return (
    <div className="card">
      <Facts
        facts={[
          ["Id", <CopyText key="id" text={organizationId} label="Copy the organization id" />],
          ["Link to log in", <CopyText key="link" text={link} label="Copy the link to log in" />],
          [
            "API",
            <CopyText key="api" text={service.baseUrl} label="Copy the address of the API" />,
          ],
        ]}
      />
    </div>
  );
}

function Deletion({ organization }: { organization: OrganizationData }) {
  const { keeper, session, service } = useCurrent();
  const { name = "", wallets = [], privateKeys = [], rootQuorum } = organization;
  const [isAsking, setAsking] = useState(false);
  const [isWithoutExport, setWithoutExport] = useState(false);
  const { organizationId } = session;
  const kept = [...wallets, ...privateKeys].filter(({ exported }) => !exported).length;
  const { submit } = useSubmit(
    async (connection, deleteWithoutExport: boolean) => {
      try {
        await deleteOrganization(connection, { organizationId, deleteWithoutExport });
      } catch (error) {
        // A sub-organization is deleted by another activity, and only the service knows which one this is.
        if (!isNoTopLevel(error)) throw error;
        await deleteSubOrganization(connection, { deleteWithoutExport });
      }
    },
    {
      onSent: ({ kind }) => {
        // There is nobody left to tell the service that this session is over.
        if (kind === "done") void keeper.logOut();
      },
    },
  );
  const isServices = organizationId === service.rootOrganizationId;
  return (
    <Section title="Delete the organization">
      <div className="card stack">
        <p>
          All users, policies, wallets and private keys are deleted, and nothing brings them back.
          Only the root quorum can do it
          {rootQuorum && rootQuorum.threshold > 1 && `, with ${rootQuorum.threshold} approvals`}. An
          organization that has sub-organizations cannot be deleted before they are.
        </p>
        {isServices ? (
          <Notice>
            This is the organization of the service itself, so it cannot be deleted: the operator
            removes the service instead.
          </Notice>
        ) : (
          <div className="row">
            <Button kind="danger" onPress={() => setAsking(true)}>
              Delete the organization
            </Button>
          </div>
        )}
      </div>
      <ConfirmDialog
        title={`Delete ${name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete everything"
        typed={name}
        onConfirm={async () => (await submit(isWithoutExport)) !== undefined}
      >
        {kept > 0 && (
          <>
            <Notice tone="warning">
              {kept === 1
                ? "One wallet or private key was"
                : `${kept} wallets and private keys were`}{" "}
              never exported, so nobody has a copy. What their addresses hold is lost with them.
            </Notice>
            <Checkbox isSelected={isWithoutExport} onChange={setWithoutExport}>
              Delete also what was never exported.
            </Checkbox>
          </>
        )}
        <p>
          All users, policies, wallets and keys are gone for good, and everybody is logged out at
          once.
        </p>
      </ConfirmDialog>
    </Section>
  );
}

function isNoTopLevel(error: unknown): boolean {
  return error instanceof InvalidField && error.code === "ORGANIZATION_MISMATCH";
}
