import { activityKinds } from "@keyhearth/policy/activity-kinds";
import {
  type Activity,
  InvalidField,
  listActivities,
  type SimulateActivityResponse,
} from "@keyhearth/sdk";
import { useState } from "react";
import { type Simulated, simulatedOf } from "../../approvals/asked.ts";
import { useRead } from "../../data/read.ts";
import type { Decided, Situation } from "../../policy-language/decide.ts";
import { NEW_POLICY, textOf, withDraft } from "../../policy-language/draft.ts";
import { type Known, simulate, useKnown } from "../../policy-language/known.ts";
import { DecisionTag, PolicyOutcomes } from "../../policy-language/outcome.tsx";
import { useCurrent } from "../../session/current.tsx";
import { nameOfType } from "../../ui/activity-status.tsx";
import { Button } from "../../ui/button.tsx";
import { ComboBox, Select } from "../../ui/choices.tsx";
import { Checkbox, RadioGroup, TextArea } from "../../ui/fields.tsx";
import { problemOf } from "../../ui/problems.ts";
import { FormProblem, Loading } from "../../ui/states.tsx";
import { tell } from "../../ui/toasts.tsx";
import { inWords, msOf } from "../../ui/words-of-time.ts";
import type { About } from "./about.ts";

type Tried = {
  saved: SimulateActivityResponse;
  /** What the saved policies decide about the votes as they were given. */
  before: Decided;
  situation: Situation;
  edited: Decided;
  name: string;
};

const types = activityKinds
  .filter(({ newest }) => newest)
  .map(({ type, kind }) => ({ id: type, label: nameOfType(kind) }))
  .sort((a, b) => a.label.localeCompare(b.label));

/** What the policies decide about a request that nobody sends: those that are saved, and those with the changes. */
export function TryIt(props: About & { cases: string; onCases: (text: string) => void }) {
  const known = useKnown();
  if (!known) return <Loading what="the users of the organization" />;
  return <Trial {...props} known={known} />;
}

function Trial({
  policies,
  policy,
  draft,
  cases,
  onCases,
  known,
}: About & { cases: string; onCases: (text: string) => void; known: Known }) {
  const { connection, session } = useCurrent();
  const recent = useRead("list_activities", listActivities, { paginationOptions: { limit: "25" } });
  const [way, setWay] = useState("recent");
  const [activityId, setActivityId] = useState<string>();
  const [type, setType] = useState<string>();
  const [parameters, setParameters] = useState("{}");
  const [userId, setUserId] = useState(session.userId);
  const [approvers, setApprovers] = useState<readonly string[]>([]);
  const [wrong, setWrong] = useState<{ activity?: string; type?: string; parameters?: string }>({});
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [tried, setTried] = useState<Tried>();
  const activities = recent.data?.activities.filter((each) => simulatedOf(each)) ?? [];

  const asked = (): (Simulated & { name: string }) | undefined => {
    if (way === "recent") {
      const activity = activities.find(({ id }) => id === activityId);
      const found = activity && simulatedOf(activity);
      if (!activity || !found) {
        setWrong({ activity: "Choose an activity." });
        return undefined;
      }
      const { type: asked, votes } = activity;
      return { ...found, name: `${nameOfType(asked)} by ${votes[0]?.user.userName ?? "somebody"}` };
    }
    const read = objectIn(parameters);
    const problems = {
      ...(type === undefined && { type: "Choose what is asked for." }),
      ...(typeof read === "string" && { parameters: read }),
    };
    setWrong(problems);
    if (type === undefined || typeof read === "string") return undefined;
    return {
      activity: { type, parameters: read },
      userId,
      approverUserIds: approvers.filter((id) => id !== userId),
      name: `${nameOfType(type)} by ${known.nameOf(userId)}`,
    };
  };

  const attempt = async () => {
    setError(undefined);
    setWrong({});
    const question = asked();
    if (!question) return;
    setBusy(true);
    try {
      const { name, ...simulated } = question;
      const { organizationId } = session;
      const [{ explain }, { saved, situation }] = await Promise.all([
        import("../../policy-language/decide.ts"),
        simulate(connection, simulated, known, { organizationId }),
      ]);
      const before = explain(
        policies.map((each) => textOf(each.policyId, each)),
        situation,
      );
      const edited = explain(withDraft(policies, policy?.policyId, draft), situation);
      setTried({ saved, before, situation, edited, name });
    } catch (cause) {
      setTried(undefined);
      if (cause instanceof InvalidField && way === "described") {
        setWrong({ parameters: problemOf(cause).text });
      } else setError(cause);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <RadioGroup
        label="Decide about"
        value={way}
        onChange={setWay}
        orientation="horizontal"
        options={[
          { id: "recent", label: "A recent activity" },
          { id: "described", label: "A request that you describe" },
        ]}
      />
      {way === "recent" ? (
        <Select
          label="Activity"
          options={activities.map((each) => ({ id: each.id, label: labelOf(each) }))}
          placeholder={recent.data && activities.length === 0 ? "There is none yet" : "Choose one"}
          isDisabled={activities.length === 0}
          value={activityId ?? null}
          onChange={(key) => setActivityId(String(key))}
          error={wrong.activity}
        />
      ) : (
        <>
          <div className="filters">
            <ComboBox
              label="What is asked for"
              placeholder="Type a name"
              options={types}
              menuTrigger="focus"
              defaultValue={type ?? null}
              onChange={(key) => setType(key === null ? undefined : String(key))}
              error={wrong.type}
            />
            <Select
              label="Asked by"
              options={known.users.map(({ id, alias = "" }) => ({ id, label: alias || id }))}
              value={userId}
              onChange={(key) => setUserId(String(key))}
            />
          </div>
          <TextArea
            label="Parameters"
            hint="In JSON, as a program would send them."
            isMono
            rows={8}
            value={parameters}
            onChange={setParameters}
            error={wrong.parameters}
            spellCheck="false"
          />
          {known.users.length > 1 && known.users.length <= 20 && (
            <fieldset className="plain-fieldset">
              <legend className="field-label">Approved by too</legend>
              <div className="row">
                {known.users
                  .filter(({ id }) => id !== userId)
                  .map(({ id, alias = "" }) => (
                    <Checkbox
                      key={id}
                      isSelected={approvers.includes(id)}
                      onChange={(isChosen) =>
                        setApprovers(
                          isChosen ? [...approvers, id] : approvers.filter((each) => each !== id),
                        )
                      }
                    >
                      {alias || id}
                    </Checkbox>
                  ))}
              </div>
            </fieldset>
          )}
        </>
      )}
      <FormProblem error={error} />
      <Button kind="primary" isPending={isBusy} onPress={() => void attempt()}>
        Decide
      </Button>
      {tried && (
        <Answer
          {...{ tried, known, policies, policy, draft }}
          onKeep={() =>
            void keep(tried, withDraft(policies, policy?.policyId, draft), cases).then(onCases)
          }
        />
      )}
    </>
  );
}

async function keep(
  { name, situation, edited }: Tried,
  policies: ReturnType<typeof withDraft>,
  cases: string,
): Promise<string> {
  const { caseOf, CaseError, withCase } = await import("../../policy-language/cases.ts");
  try {
    const text = withCase(cases, caseOf(name, policies, situation, edited));
    tell({ title: "The case is in the tab “Cases”" });
    return text;
  } catch (error) {
    if (!(error instanceof CaseError)) throw error;
    tell({ title: "The tab “Cases” has no cases", text: error.message, tone: "danger" });
    return cases;
  }
}

function Answer({
  tried: { saved, before, edited },
  known,
  policies,
  policy,
  draft,
  onKeep,
}: About & { tried: Tried; known: Known; onKeep: () => void }) {
  const present = withDraft(policies, policy?.policyId, draft).map((each) => ({
    ...textShown(each),
    policyId: each.policyId === NEW_POLICY ? "" : each.policyId,
  }));
  const outcomes = edited.outcomes.map((each) => ({
    ...each,
    policyId: each.policyId === NEW_POLICY ? "" : each.policyId,
  }));
  const isSame = edited.outcome === saved.outcome && before.outcome === saved.outcome;
  const needed = isSame ? saved.neededApprovals : [];
  return (
    <div className="stack" aria-live="polite">
      <div className="card row">
        <span className="row">
          Saved policies: <DecisionTag outcome={before.outcome} />
        </span>
        <span className="row">
          With this one as it is written: <DecisionTag outcome={edited.outcome} />
        </span>
        <span className="soft">{reasons[edited.reason]}</span>
        {needed.length > 0 && (
          <span className="soft">
            It would take the approval of{" "}
            {needed
              .slice(0, 5)
              .map((ids) => ids.map(known.nameOf).join(" and "))
              .join(", or ")}
            .
          </span>
        )}
        <Button isSmall onPress={onKeep}>
          Keep as a case
        </Button>
      </div>
      {outcomes.length > 0 && <PolicyOutcomes outcomes={outcomes} policies={present} />}
    </div>
  );
}

const reasons: Record<Decided["reason"], string> = {
  policies: "The policies decide it.",
  rootQuorum: "The root quorum decides it.",
  ownCredentials: "Users may change their own credentials.",
  default: "No policy allows it.",
};

function textShown({
  policyId,
  policyName,
  effect,
  condition,
  consensus,
  time,
}: ReturnType<typeof textOf>) {
  return {
    policyId,
    policyName,
    effect,
    condition: condition ?? "",
    consensus: consensus ?? "",
    time: time ?? "",
  };
}

function labelOf({ type, votes, createdAt }: Activity): string {
  return `${nameOfType(type)} by ${votes[0]?.user.userName ?? "somebody"}, ${inWords(msOf(createdAt), Date.now())}`;
}

/** An object, or what is wrong with the text. */
function objectIn(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    return "This must be an object: begin with { and end with }.";
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}.`;
  }
}
