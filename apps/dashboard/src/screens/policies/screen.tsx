import { listPolicies, type Policy } from "@keyhearth/sdk";
import { Plus } from "lucide-react";
import { useSearchParams } from "wouter";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Select } from "../../ui/choices.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import "../../approvals/approvals.css";
import "../../policy-language/language.css";

const effects = [
  { id: "all", label: "Allow and deny" },
  { id: "EFFECT_ALLOW", label: "Allow" },
  { id: "EFFECT_DENY", label: "Deny" },
];

export function Screen() {
  const read = useRead("list_policies", listPolicies, {});
  const [search, setSearch] = useSearchParams();
  const text = search.get("q") ?? "";
  const effect = search.get("effect") ?? "all";
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === "" || value === "all") after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return (
    <Page
      title="Policies"
      intro="What users may do, and whose approvals that needs. What no policy allows does not happen, and a denial wins."
      actions={
        <LinkButton to="/policies/new" kind="primary">
          <Plus size={18} aria-hidden />
          New policy
        </LinkButton>
      }
    >
      <Loaded query={read} what="policies">
        {({ policies }) => {
          if (policies.length === 0) {
            return (
              <Empty
                title="There are no policies yet"
                action={<LinkButton to="/policies/new">Write the first policy</LinkButton>}
              >
                Without one, only the root quorum may do anything.
              </Empty>
            );
          }
          const found = policies.filter(
            (policy) => (effect === "all" || policy.effect === effect) && has(policy, text),
          );
          return (
            <>
              <div className="filters">
                <TextField
                  label="Search"
                  placeholder="A name, a note or a part of a clause"
                  value={text}
                  onChange={(value) => set("q", value)}
                  autoComplete="off"
                />
                <Select
                  label="Effect"
                  options={effects}
                  value={effects.some(({ id }) => id === effect) ? effect : "all"}
                  onChange={(key) => set("effect", String(key))}
                />
              </div>
              {found.length === 0 ? (
                <Empty title="No policy fits">Search for less, or for another effect.</Empty>
              ) : (
                <Policies policies={found} />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function has(policy: Policy, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  const { policyName, policyId, notes, condition, consensus, time = "" } = policy;
  return [policyName, policyId, notes, condition, consensus, time].some((each) =>
    each.toLowerCase().includes(wanted),
  );
}

function Policies({ policies }: { policies: readonly Policy[] }) {
  return (
    <Table
      label="Policies"
      rows={policies}
      keyOf={({ policyId }) => policyId}
      hrefOf={({ policyId }) => `/policies/${policyId}`}
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
        { name: "About", cell: ({ condition }) => <Clause text={condition} empty="everything" /> },
        { name: "Approvals", cell: ({ consensus }) => <Clause text={consensus} empty="none" /> },
        { name: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
      ]}
    />
  );
}

function Clause({ text, empty }: { text: string; empty: string }) {
  if (text === "") return <span className="faint">{empty}</span>;
  const line = text.replace(/\s+/g, " ");
  return (
    <code className="clause-line" title={text}>
      {line.length > 90 ? `${line.slice(0, 87)}…` : line}
    </code>
  );
}
