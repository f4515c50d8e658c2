import Translate, { translate } from "@docusaurus/Translate";
import { useDeferredValue, useEffect, useId, useMemo, useState } from "react";
import { CopyButton } from "../../CopyButton.tsx";
import { CodeField } from "./CodeField.tsx";
import { Decided } from "./Decided.tsx";
import { problemsOf } from "./explain.ts";
import { OwnOrganization } from "./OwnOrganization.tsx";
import styles from "./PolicyBench.module.css";
import { PolicyCard } from "./PolicyCard.tsx";
import { attempt } from "./read-json.ts";
import { type Draft, readPolicies, writePolicies } from "./read-policies.ts";
import { readRequest } from "./read-request.ts";
import { presets, type SampleId, samples } from "./samples.ts";
import { presetNames, sampleNames, tellReadFault } from "./sentences.ts";
import { fragmentOf, readFragment } from "./share.ts";

/** A policy with what tells it from the others while their names and order change. */
type Keyed = Draft & { key: number };

const [first] = presets;

/** Policies and a request that readers can edit. The language decides about them in the browser. */
export function PolicyBench() {
  const id = useId();
  const [shared] = useState(() => readFragment(window.location.hash));
  const start = shared && shared !== "broken" ? shared : null;
  const [policies, setPolicies] = useState(() => keyed(start?.policies ?? first.policies));
  const [request, setRequest] = useState(start?.request ?? samples[first.sample]);
  const [written, setWritten] = useState<string | null>(null);
  const read = useMemo(
    () => (written === null ? null : attempt(() => readPolicies(written))),
    [written],
  );
  useEffect(() => {
    if (read && "value" in read) setPolicies(keyed(read.value));
  }, [read]);

  const shown = useDeferredValue(policies);
  const problems = useMemo(() => problemsOf(policies), [policies]);
  const asked = useDeferredValue(request);
  const readAsked = useMemo(() => attempt(() => readRequest(asked)), [asked]);

  function choose(presetId: string) {
    const preset = presets.find((each) => each.id === presetId);
    if (!preset) return;
    replace(preset.policies);
    setRequest(samples[preset.sample]);
  }

  function replace(next: readonly Draft[]) {
    setPolicies(keyed(next));
    if (written !== null) setWritten(writePolicies(next));
  }

  const change = (key: number, next: Draft) =>
    setPolicies(policies.map((policy) => (policy.key === key ? { ...next, key } : policy)));

  return (
    <section className={styles.bench} aria-label={benchName}>
      {shared === "broken" && (
        <p className={styles.fault} role="alert">
          <Translate id="policyBench.brokenLink">
            The link that led here is not whole, so the playground begins with its first example.
            Ask for the whole link.
          </Translate>
        </p>
      )}
      <div className={styles.row}>
        <label htmlFor={`${id}-preset`}>
          <Translate id="playground.start">Start with</Translate>
        </label>
        <select
          id={`${id}-preset`}
          defaultValue={start ? "" : first.id}
          onChange={(event) => choose(event.target.value)}
        >
          {start && (
            <option value="">
              {translate({ id: "policyBench.shared", message: "What the link brought" })}
            </option>
          )}
          {presets.map((preset) => (
            <option key={preset.id} value={preset.id}>
              {presetNames[preset.id]}
            </option>
          ))}
        </select>
      </div>

      <div className={styles.head}>
        <h3>
          <Translate id="policyBench.policies">Policies</Translate>
        </h3>
        <button
          type="button"
          className={styles.small}
          aria-pressed={written !== null}
          onClick={() => setWritten(written === null ? writePolicies(policies) : null)}
        >
          <Translate id="policyBench.json">As JSON</Translate>
        </button>
      </div>
      {written === null ? (
        <>
          {policies.map(({ key, ...policy }, index) => (
            <PolicyCard
              key={key}
              policy={policy}
              problems={problems[index] ?? {}}
              position={index + 1}
              onChange={(next) => change(key, next)}
              onRemove={() => setPolicies(policies.filter((each) => each.key !== key))}
            />
          ))}
          <button
            type="button"
            className={styles.small}
            onClick={() => setPolicies([...policies, ...keyed([emptyPolicy])])}
          >
            <Translate id="policyBench.add">Add a policy</Translate>
          </button>
        </>
      ) : (
        <CodeField
          label={
            <Translate id="policyBench.json.label">
              Policies as create_policies takes them and list_policies shows them
            </Translate>
          }
          language="json"
          value={written}
          onChange={setWritten}
          problem={read && "fault" in read ? { message: tellReadFault(read.fault) } : undefined}
        />
      )}

      <div className={styles.head}>
        <h3>
          <Translate id="policyBench.request">Request</Translate>
        </h3>
        <select
          aria-label={translate({ id: "policyBench.sample", message: "Sample activity" })}
          value={
            (Object.keys(samples) as SampleId[]).find((each) => samples[each] === request) ?? ""
          }
          onChange={(event) => {
            const json = samples[event.target.value as SampleId];
            if (json !== undefined) setRequest(json);
          }}
        >
          <option value="" disabled>
            {translate({ id: "policyBench.ownSample", message: "Your own" })}
          </option>
          {(Object.keys(samples) as SampleId[]).map((each) => (
            <option key={each} value={each}>
              {sampleNames[each]}
            </option>
          ))}
        </select>
      </div>
      <OwnOrganization onRequest={setRequest} onPolicies={replace} />
      <CodeField
        label={
          <Translate id="policyBench.request.label">
            Who asks and approves, and what the activity is
          </Translate>
        }
        language="json"
        value={request}
        onChange={setRequest}
        problem={"fault" in readAsked ? { message: tellReadFault(readAsked.fault) } : undefined}
      />

      <output className={styles.output}>
        <Decided policies={shown} request={"value" in readAsked ? readAsked.value : null} />
      </output>
      <Share policies={policies} request={request} />
    </section>
  );
}

const benchName = translate({ id: "policyBench.name", message: "Playground of policies" });

const emptyPolicy: Draft = {
  name: translate({ id: "policyBench.newName", message: "new policy" }),
  effect: "EFFECT_ALLOW",
  condition: "",
  consensus: "",
  time: "",
};

let lastKey = 0;

function keyed(drafts: readonly Draft[]): Keyed[] {
  return drafts.map((draft) => ({ ...draft, key: ++lastKey }));
}

/** A link that carries all of it. Nothing of it is sent to a server, because it is in the fragment. */
function Share({ policies, request }: { policies: readonly Draft[]; request: string }) {
  const fragment = useDeferredValue(
    useMemo(() => fragmentOf({ policies: [...policies], request }), [policies, request]),
  );
  const { origin, pathname } = window.location;
  return (
    <p className={styles.share}>
      {fragment === null ? (
        <Translate id="policyBench.tooLong">
          These policies and this request are too long for a link. Copy them as JSON instead.
        </Translate>
      ) : (
        <>
          <Translate id="policyBench.link">
            A link to exactly this. It carries the policies and the request.
          </Translate>{" "}
          <CopyButton
            text={origin + pathname + fragment}
            label={translate({ id: "policyBench.link.label", message: "link" })}
          />
        </>
      )}
    </p>
  );
}
