import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { FileTrigger } from "react-aria-components/FileTrigger";
import type { Ran } from "../../policy-language/cases.ts";
import { withDraft } from "../../policy-language/draft.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/fields.tsx";
import { save } from "../../ui/save-file.ts";
import { Table } from "../../ui/table.tsx";
import type { About } from "./about.ts";

/** Cases in the files of `keyhearth policy test`: what is decided here must be what people expect. */
export function Cases({
  policies,
  policy,
  draft,
  text,
  onText,
}: About & { text: string; onText: (text: string) => void }) {
  const [ran, setRan] = useState<Ran[]>();
  const [problem, setProblem] = useState<string>();

  const change = (next: string) => {
    onText(next);
    setRan(undefined);
    setProblem(undefined);
  };
  const run = async () => {
    const { CaseError, readCases, runCase } = await import("../../policy-language/cases.ts");
    try {
      const edited = policy ? withDraft(policies, policy.policyId, draft) : [];
      setRan(readCases(text).map((one) => runCase(one, edited)));
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof CaseError)) throw error;
      setRan(undefined);
      setProblem(error.message);
    }
  };
  const failed = ran?.filter(({ hasPassed }) => !hasPassed).length ?? 0;
  return (
    <>
      <p className="soft">
        A case is a request and what must be decided about it. “Try it” makes some, and{" "}
        <code>keyhearth policy test</code> runs the same files.
        {policy && " Policies of this organization are decided here as they are edited."}
      </p>
      <TextArea
        label="Cases"
        isMono
        rows={12}
        value={text}
        onChange={change}
        error={problem}
        spellCheck="false"
        placeholder={'{ "format_version": 1, "decision_cases": [ … ] }'}
      />
      <div className="row">
        <Button kind="primary" isDisabled={text.trim() === ""} onPress={() => void run()}>
          Run the cases
        </Button>
        <FileTrigger
          acceptedFileTypes={["application/json", ".json"]}
          onSelect={(files) => {
            const file = files?.[0];
            if (!file) return;
            if (file.size > 1_000_000) setProblem("The file is larger than a megabyte: split it.");
            else void file.text().then(change);
          }}
        >
          <Button>Open a file…</Button>
        </FileTrigger>
        <Button isDisabled={text.trim() === ""} onPress={() => save(text, "policy-cases.json")}>
          Save as a file
        </Button>
      </div>
      {ran && (
        <div className="stack-small">
          <p aria-live="polite">
            <strong>
              {ran.length - failed} passed, {failed} failed
            </strong>
          </p>
          <Table
            label="Cases"
            rows={ran.map((one, index) => ({ ...one, key: `${index}` }))}
            keyOf={({ key }) => key}
            columns={[
              { name: "Case", cell: ({ name }) => name, isMain: true },
              { name: "Result", cell: ({ hasPassed }) => <Passed hasPassed={hasPassed} /> },
              { name: "Expected", cell: ({ expected }) => <code>{expected}</code> },
              { name: "Got", cell: ({ got }) => <code>{got}</code> },
              { name: "Details", cell: ({ detail }) => detail ?? "" },
            ]}
          />
        </div>
      )}
    </>
  );
}

function Passed({ hasPassed }: { hasPassed: boolean }) {
  return hasPassed ? (
    <span className="verdict verdict-good">
      <CircleCheck size={16} aria-hidden /> Passed
    </span>
  ) : (
    <span className="verdict verdict-bad">
      <CircleX size={16} aria-hidden /> Failed
    </span>
  );
}
