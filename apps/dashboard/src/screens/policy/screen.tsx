import { listPolicies, type Policy } from "@keyhearth/sdk";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useForm } from "react-hook-form";
import { useSearchParams } from "wouter";
import type { ScreenProps } from "../../app/screen.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { type Draft, draftOf, emptyDraft } from "../../policy-language/draft.ts";
import { AskBeforeLeaving } from "../../ui/ask-before-leaving.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Cases } from "./cases.tsx";
import { Changes } from "./changes.tsx";
import { DeleteButton } from "./delete.tsx";
import { EditorForm } from "./editor-form.tsx";
import { TryIt } from "./try-it.tsx";

/** A policy, or the one that somebody writes at `/policies/new`. */
export function Screen({ params }: ScreenProps) {
  const { policyId = "" } = params;
  const isNew = policyId === "new";
  const read = useRead("list_policies", listPolicies, {});
  const saved = read.data?.policies.find((each) => each.policyId === policyId);
  const title = isNew ? "New policy" : (saved?.policyName ?? "Policy");
  return (
    <Page
      title={title}
      crumbs={[{ title: "Policies", to: "/policies" }]}
      actions={saved && <DeleteButton policy={saved} />}
    >
      <Loaded query={read} what="the policy">
        {({ policies }) =>
          isNew || saved ? (
            <Edited key={policyId} policies={policies} policy={saved} />
          ) : (
            <Empty
              title="There is no such policy"
              action={<LinkButton to="/policies">All policies</LinkButton>}
            >
              Somebody may have deleted it.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

/** What is written stays while people look at the other tabs. */
function Edited({ policies, policy }: { policies: readonly Policy[]; policy: Policy | undefined }) {
  const form = useForm<Draft>({ defaultValues: policy ? draftOf(policy) : emptyDraft });
  const draft = form.watch();
  const [search, setSearch] = useSearchParams();
  const [cases, setCases] = useState("");
  const [isSaved, setSaved] = useState(false);
  const about = { policies, policy, draft };
  return (
    <>
      <AskBeforeLeaving
        isUnsaved={form.formState.isDirty && !isSaved}
        title="Leave the policy unsaved?"
      />
      <Tabs
        label="The policy"
        selected={search.get("tab") ?? "edit"}
        onSelect={(tab) => setSearch(tab === "edit" ? {} : { tab }, { replace: true })}
        tabs={[
          {
            id: "edit",
            title: "Policy",
            children: (
              <EditorForm {...about} form={form} onSaved={() => flushSync(() => setSaved(true))} />
            ),
          },
          {
            id: "try",
            title: "Try it",
            children: <TryIt {...about} cases={cases} onCases={setCases} />,
          },
          { id: "changes", title: "What would change", children: <Changes {...about} /> },
          {
            id: "cases",
            title: "Cases",
            children: <Cases {...about} text={cases} onText={setCases} />,
          },
        ]}
      />
    </>
  );
}
