// Every part of the dashboard in every state, for axe and for people who look at pictures.

import { Conflict, PermissionDenied } from "@keyhearth/sdk";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { useForm } from "react-hook-form";
import { Status } from "../../../apps/dashboard/src/ui/activity-status.tsx";
import { Button, LinkButton } from "../../../apps/dashboard/src/ui/button.tsx";
import { Address, CopyText } from "../../../apps/dashboard/src/ui/copy.tsx";
import { ConfirmDialog, Dialog, DialogActions } from "../../../apps/dashboard/src/ui/dialog.tsx";
import {
  FormCheckbox,
  FormComboBox,
  FormNumber,
  FormRadioGroup,
  FormSelect,
  FormTextArea,
} from "../../../apps/dashboard/src/ui/form.tsx";
import { FormText } from "../../../apps/dashboard/src/ui/form-text.tsx";
import { Menu } from "../../../apps/dashboard/src/ui/menu.tsx";
import { Facts, Page, Section } from "../../../apps/dashboard/src/ui/page.tsx";
import { Pager } from "../../../apps/dashboard/src/ui/pager.tsx";
import {
  Empty,
  Failed,
  FormProblem,
  Loading,
  Notice,
  OfflineBanner,
} from "../../../apps/dashboard/src/ui/states.tsx";
import { Table } from "../../../apps/dashboard/src/ui/table.tsx";
import { Tabs } from "../../../apps/dashboard/src/ui/tabs.tsx";
import { Tag } from "../../../apps/dashboard/src/ui/tag.tsx";
import { followTheme } from "../../../apps/dashboard/src/ui/theme.ts";
import "../../../apps/dashboard/src/ui/theme.css";
import { Time } from "../../../apps/dashboard/src/ui/time.tsx";
import { Toasts, tell } from "../../../apps/dashboard/src/ui/toasts.tsx";

const options = [
  { id: "ethereum", label: "Ethereum", hint: "secp256k1, m/44'/60'/0'/0/0" },
  { id: "solana", label: "Solana", hint: "Ed25519, m/44'/501'/0'/0'" },
];

const conflict = new Conflict("a wallet with this name exists already", {
  code: "WALLET_NAME_TAKEN",
  docsUrl: "https://keys.example.com/errors#wallet-name-taken",
});
const denied = new PermissionDenied("only the root quorum may do this", {
  code: "REQUEST_NOT_AUTHORIZED",
});

const statuses = ["COMPLETED", "FAILED", "CONSENSUS_NEEDED", "REJECTED", "PENDING"] as const;

function Gallery() {
  return (
    <main id="main">
      <OfflineBanner />
      <Page
        title="Every part"
        intro="What screens are made of."
        crumbs={[{ title: "Gallery", to: "/" }]}
        actions={<Button kind="primary">Create</Button>}
      >
        <Buttons />
        <Form />
        <Shown />
        <States />
        <Opening />
      </Page>
      <Toasts />
    </main>
  );
}

function Buttons() {
  return (
    <Section title="Buttons">
      <div className="row">
        <Button>Secondary</Button>
        <Button kind="quiet">Quiet</Button>
        <Button kind="danger">Delete</Button>
        <Button isSmall>Small</Button>
        <Button isDisabled>Disabled</Button>
        <Button isPending>Busy</Button>
        <LinkButton to="/elsewhere">Link</LinkButton>
      </div>
    </Section>
  );
}

function Form() {
  const { control, handleSubmit } = useForm({
    defaultValues: {
      name: "",
      notes: "",
      count: 2,
      chain: "",
      asset: "",
      effect: "allow",
      isKept: true,
    },
  });
  return (
    <Section title="Form">
      <form className="stack card" onSubmit={handleSubmit(() => {})}>
        <FormText
          {...{ control }}
          name="name"
          label="Name"
          hint="Others see it."
          rules={{ required: "Give it a name." }}
        />
        <FormTextArea {...{ control }} name="notes" label="Notes" />
        <FormNumber {...{ control }} name="count" label="Threshold" minValue={1} />
        <FormSelect
          {...{ control, options }}
          name="chain"
          label="Chain"
          rules={{ required: "Choose a chain." }}
        />
        <FormComboBox
          {...{ control, options }}
          name="asset"
          label="Asset"
          placeholder="Type a name"
        />
        <FormRadioGroup
          {...{ control }}
          name="effect"
          label="Effect"
          options={[
            { id: "allow", label: "Allow" },
            { id: "deny", label: "Deny", hint: "It wins over every other policy." },
          ]}
        />
        <FormCheckbox {...{ control }} name="isKept" hint="Nobody can read it.">
          Keep the key.
        </FormCheckbox>
        <FormProblem error={conflict} />
        <Button type="submit" kind="primary">
          Save
        </Button>
      </form>
    </Section>
  );
}

function Shown() {
  return (
    <Section title="What is shown">
      <Table
        label="Wallets"
        rows={["Treasury", "Payroll"]}
        keyOf={(name) => name}
        hrefOf={(name) => `/wallets/${name}`}
        columns={[
          { name: "Name", cell: (name) => name, isMain: true },
          {
            name: "Address",
            cell: () => <Address address="0x742d35Cc6634C0532925a3b844Bc454e4438f44e" />,
          },
          { name: "Accounts", cell: () => 12, isNumber: true },
          { name: "Created", cell: () => <Time at={Date.now() - 7_200_000} /> },
        ]}
      />
      <Pager number={2} hasNext next={() => {}} previous={() => {}} />
      <div className="row">
        {statuses.map((status) => (
          <Status key={status} status={`ACTIVITY_STATUS_${status}`} />
        ))}
        <Tag tone="accent">New</Tag>
      </div>
      <Facts
        facts={[
          [
            "Id",
            <CopyText key="id" text="2a1f0c3e-0000-4000-8000-000000000000" label="Copy the id" />,
          ],
          ["Name", "Treasury"],
        ]}
      />
      <Tabs
        label="Parts"
        tabs={[
          { id: "first", title: "First", children: <p>The first part.</p> },
          { id: "second", title: "Second", children: <p>The second part.</p> },
        ]}
      />
    </Section>
  );
}

function States() {
  return (
    <Section title="States">
      <Loading what="wallets" />
      <Empty
        title="There are no wallets yet"
        action={<Button kind="primary">Create a wallet</Button>}
      >
        A wallet is a seed.
      </Empty>
      <Failed error={conflict} onRetry={() => {}} />
      <Failed error={denied} />
      <Notice tone="warning">This cannot be undone.</Notice>
    </Section>
  );
}

function Opening() {
  const [open, setOpen] = useState<"dialog" | "confirm">();
  const close = () => setOpen(undefined);
  return (
    <Section title="What opens">
      <div className="row">
        <Button onPress={() => setOpen("dialog")}>Open a dialog</Button>
        <Button onPress={() => setOpen("confirm")}>Delete a wallet</Button>
        <Menu
          label="More"
          trigger={<Button>More</Button>}
          entries={[
            { id: "rename", label: "Rename", onAction: () => tell({ title: "Renamed" }) },
            "separator",
            { id: "delete", label: "Delete", isDanger: true, onAction: () => {} },
          ]}
        />
        <Button
          onPress={() =>
            tell({
              title: "This waits for approvals",
              text: "Other users have to approve it.",
              tone: "warning",
              link: { to: "/activities/1", text: "Open the activity" },
              undo: () => tell({ title: "Undone" }),
            })
          }
        >
          Tell
        </Button>
      </div>
      <Dialog title="A dialog" isOpen={open === "dialog"} onClose={close}>
        <p>With something to read.</p>
        <DialogActions>
          <Button onPress={close}>Close</Button>
        </DialogActions>
      </Dialog>
      <ConfirmDialog
        title="Delete the wallet?"
        isOpen={open === "confirm"}
        onClose={close}
        action="Delete it"
        typed="Treasury"
        onConfirm={() => tell({ title: "Deleted" })}
      >
        <p>Its keys are gone for good.</p>
      </ConfirmDialog>
    </Section>
  );
}

followTheme();
const root = document.getElementById("root");
if (root) createRoot(root).render(<Gallery />);
