import {
  type FeatureName,
  getOrganizationConfigs,
  removeOrganizationFeature,
  type SetOrganizationFeatureIntent,
  setOrganizationFeature,
} from "@keyhearth/sdk";
import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { useDocs } from "../../data/docs.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormTextArea } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Notice } from "../../ui/states.tsx";
import { Tag } from "../../ui/tag.tsx";
import { type FeatureFacts, featureList } from "./feature-list.ts";
import "./settings.css";

export function FeaturesTab() {
  const read = useRead("get_organization_configs", getOrganizationConfigs, {});
  return (
    <Loaded query={read} what="features" lines={8}>
      {({ configs: { features = [] } }) => (
        <>
          <p className="soft">Only the root quorum can change features.</p>
          <ul className="settings-list">
            {featureList.map((facts) => {
              const feature = features.find(({ name }) => name === facts.name);
              return (
                <li key={facts.name} className="card settings-item">
                  <FeatureRow {...{ facts }} isOn={feature !== undefined} value={feature?.value} />
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function FeatureRow({
  facts,
  isOn,
  value,
}: {
  facts: FeatureFacts;
  isOn: boolean;
  value: string | undefined;
}) {
  const docs = useDocs();
  const [open, setOpen] = useState<"value" | "on" | "off">();
  const close = () => setOpen(undefined);
  const { submit: switchOn } = useSubmit(
    (connection, name: FeatureName) => setOrganizationFeature(connection, { name }),
    { done: `${facts.title}: on` },
  );
  const { submit: switchOff } = useSubmit(
    (connection, name: FeatureName) => removeOrganizationFeature(connection, { name }),
    { done: `${facts.title}: off` },
  );
  return (
    <>
      <div className="settings-text">
        <h2 className="row settings-title">
          {facts.title} <Tag tone={isOn ? "good" : "neutral"}>{isOn ? "On" : "Off"}</Tag>
        </h2>
        <p className="soft">
          {facts.what}{" "}
          <a href={docs(facts.docs)} target="_blank" rel="noreferrer">
            Read more<span className="visually-hidden"> about: {facts.title}</span>
          </a>
        </p>
        {value && <code className="settings-value">{value}</code>}
      </div>
      <div className="row">
        {facts.value && isOn && (
          <Button isSmall aria-label={`Change: ${facts.title}`} onPress={() => setOpen("value")}>
            Change
          </Button>
        )}
        <Button
          isSmall
          aria-label={`Switch ${isOn ? "off" : "on"}: ${facts.title}`}
          onPress={() => setOpen(isOn ? "off" : facts.value ? "value" : "on")}
        >
          Switch {isOn ? "off" : "on"}
        </Button>
      </div>
      {open === "value" && <ValueDialog {...{ facts }} value={value ?? ""} onClose={close} />}
      <ConfirmDialog
        title={`Switch on: ${facts.title}?`}
        isOpen={open === "on"}
        onClose={close}
        kind="primary"
        action="Switch it on"
        onConfirm={async () => (await switchOn(facts.name)) !== undefined}
      >
        <p>{facts.what}</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Switch off: ${facts.title}?`}
        isOpen={open === "off"}
        onClose={close}
        action="Switch it off"
        onConfirm={async () => (await switchOff(facts.name)) !== undefined}
      >
        <p>{facts.what} It stops at once.</p>
      </ConfirmDialog>
    </>
  );
}

function ValueDialog({
  facts,
  value,
  onClose,
}: {
  facts: FeatureFacts;
  value: string;
  onClose: () => void;
}) {
  const form = useForm({ defaultValues: { value } });
  const { control, handleSubmit } = form;
  const typed = useWatch({ control, name: "value" });
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: SetOrganizationFeatureIntent) =>
      setOrganizationFeature(connection, parameters),
    { form, done: `${facts.title}: saved`, onSent: onClose },
  );
  const field = {
    control,
    name: "value",
    label: facts.value?.label ?? "Value",
    hint: facts.value?.hint,
    isMono: true,
    rules: { required: "Enter a value, or switch the feature off." },
  } as const;
  return (
    <FormDialog
      title={facts.title}
      isOpen
      isWide
      {...{ onClose, isBusy, error }}
      action="Save"
      onSubmit={handleSubmit((values) => submit({ name: facts.name, value: values.value.trim() }))}
    >
      <p className="soft">{facts.what}</p>
      {locksOut(facts, typed) && (
        <Notice tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
          This dashboard’s own origin, {location.origin}, is not among them: nobody could use a
          passkey here any longer, and you could undo it only with an API key.
        </Notice>
      )}
      {facts.value?.isLong ? <FormTextArea {...field} rows={10} /> : <FormText {...field} />}
    </FormDialog>
  );
}

function locksOut({ name }: FeatureFacts, value: string): boolean {
  const origins = value.split(",").map((origin) => origin.trim());
  return (
    name === "FEATURE_NAME_WEBAUTHN_ORIGINS" &&
    value.trim() !== "" &&
    !origins.includes("*") &&
    !origins.includes(location.origin)
  );
}
