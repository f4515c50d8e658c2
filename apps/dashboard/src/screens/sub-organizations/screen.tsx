import { getOrganization, listSuborgs } from "@keyhearth/sdk";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { useLocation } from "wouter";
import { useDocs } from "../../data/docs.ts";
import { Loaded } from "../../data/loaded.tsx";
import { usePages, useRead } from "../../data/read.ts";
import { isId } from "../../session/remembered.ts";
import { Button } from "../../ui/button.tsx";
import { FormSelect } from "../../ui/form.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Page } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { filters } from "./filters.ts";
import "./sub-organizations.css";

type Sought = { filterType: string; filterValue: string };

/** The service searches, so it finds any of a million. An id opens its sub-organization. */
export function Screen() {
  const [sought, seek] = useState<Sought>();
  const { query, pages } = usePages("list_suborgs", listSuborgs, sought ?? {}, {
    limit: 20,
    idsOf: ({ organizationIds }) => organizationIds,
  });
  return (
    <Page
      title="Sub-organizations"
      intro="Each of your customers can have one, with keys that you cannot use."
    >
      <Search {...{ sought }} onSeek={seek} />
      <Loaded query={query} what="sub-organizations">
        {({ organizationIds }) =>
          organizationIds.length === 0 ? (
            <Nothing {...{ sought }} />
          ) : (
            <Table
              label="Sub-organizations"
              rows={organizationIds}
              keyOf={(id) => id}
              hrefOf={(id) => `/sub-organizations/${id}`}
              columns={[
                { name: "Name", cell: (id) => <Name organizationId={id} />, isMain: true },
                { name: "Users", cell: (id) => <Users organizationId={id} /> },
                { name: "Wallets", cell: (id) => <Wallets organizationId={id} />, isNumber: true },
                { name: "Id", cell: (id) => <span className="mono">{id}</span> },
              ]}
            />
          )
        }
      </Loaded>
      <Pager {...pages} />
    </Page>
  );
}

function Search({
  sought,
  onSeek,
}: {
  sought: Sought | undefined;
  onSeek: (sought: Sought | undefined) => void;
}) {
  const [, navigate] = useLocation();
  const { control, handleSubmit, reset } = useForm({
    defaultValues: { filterType: "NAME", filterValue: "" },
  });
  const filterType = useWatch({ control, name: "filterType" });
  const filter = filters.find(({ id }) => id === filterType);
  return (
    <form
      className="seek"
      noValidate
      onSubmit={handleSubmit((values) => {
        const filterValue = values.filterValue.trim();
        if (isId(filterValue.toLowerCase())) {
          navigate(`/sub-organizations/${filterValue.toLowerCase()}`);
        } else onSeek({ ...values, filterValue });
      })}
    >
      <FormSelect
        {...{ control }}
        name="filterType"
        label="Search by"
        options={filters}
        rules={{ required: "Choose one." }}
      />
      <FormText
        {...{ control }}
        name="filterValue"
        label={filter?.label ?? "Value"}
        placeholder={filter?.placeholder}
        autoComplete="off"
        spellCheck="false"
        rules={{ required: "Enter what to search for." }}
      />
      <div className="row">
        <Button type="submit" kind="primary">
          Search
        </Button>
        {sought && (
          <Button
            onPress={() => {
              reset();
              onSeek(undefined);
            }}
          >
            Show all
          </Button>
        )}
      </div>
    </form>
  );
}

function Nothing({ sought }: { sought: Sought | undefined }) {
  const docs = useDocs();
  if (sought) {
    return (
      <Empty title="There is no such sub-organization">
        Names have to be whole and in the same case. Email addresses, public keys and Ethereum
        addresses match in any case.
      </Empty>
    );
  }
  return (
    <Empty
      title="There are no sub-organizations yet"
      action={
        <a href={docs("/concepts/sub-organizations")} target="_blank" rel="noreferrer">
          How an app creates one
        </a>
      }
    >
      Apps create one for each of their users, with a passkey or another login of that user.
    </Empty>
  );
}

function useSubOrganization(organizationId: string) {
  return useRead("get_organization", getOrganization, {}, { organizationId });
}

function Name({ organizationId }: { organizationId: string }) {
  const { data, isError } = useSubOrganization(organizationId);
  if (isError) return "It could not be read";
  return data?.organizationData.name ?? "…";
}

function Users({ organizationId }: { organizationId: string }) {
  const { data } = useSubOrganization(organizationId);
  const users = data?.organizationData.users ?? [];
  const names = users.slice(0, 3).map(({ userName }) => userName);
  return names.join(", ") + (users.length > 3 ? ` and ${users.length - 3} more` : "");
}

function Wallets({ organizationId }: { organizationId: string }) {
  const { data } = useSubOrganization(organizationId);
  return data?.organizationData.wallets?.length ?? "…";
}
