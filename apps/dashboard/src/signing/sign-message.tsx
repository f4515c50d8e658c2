import { signRawPayload } from "@keyhearth/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { usePatience } from "../data/patient.ts";
import { Waits } from "../secrets/waits.tsx";
import { Button } from "../ui/button.tsx";
import { FormRadioGroup, FormSelect, FormTextArea } from "../ui/form.tsx";
import { FormProblem } from "../ui/states.tsx";
import { payloadOf, type Signer, waysOf } from "./messages.ts";
import { Signature } from "./signature.tsx";

const kinds = [
  { id: "text", label: "Text", hint: "as UTF-8" },
  { id: "hex", label: "Bytes", hint: "in hexadecimal digits" },
];

export function SignMessage({ signer }: { signer: Signer }) {
  const ways = waysOf(signer);
  const form = useForm({ defaultValues: { message: "", kind: "text", way: ways[0].id } });
  const { control, handleSubmit, watch, setError } = form;
  const { run, isBusy, error, waiting } = usePatience({ form, renamed: { payload: "message" } });
  const [signed, setSigned] = useState<{ text: string; verdict: boolean | undefined }>();
  const [wayId, kind] = watch(["way", "kind"]);
  const way = ways.find(({ id }) => id === wayId) ?? ways[0];
  const isOnlyHex = way.id === "digest";
  const isJson = way.encoding !== undefined;

  const sign = handleSubmit(async ({ message }) => {
    setSigned(undefined);
    let payload: ReturnType<typeof payloadOf>;
    try {
      payload = payloadOf(way, message, isOnlyHex || (kind === "hex" && !isJson));
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      setError("message", { message: text }, { shouldFocus: true });
      return;
    }
    const found = await run(async (step) => {
      const result = await step((connection, options) =>
        signRawPayload(connection, { signWith: signer.signWith, ...payload }, options),
      );
      const { textOfSignature, verifyMessage } = await import("./verify.ts");
      const verdict = verifyMessage(signer, payload, result);
      return { text: textOfSignature(signer, result), verdict };
    });
    setSigned(found);
  });

  return (
    <form className="stack" onSubmit={sign}>
      {ways.length > 1 && (
        <FormSelect
          {...{ control }}
          name="way"
          label="What is signed"
          options={ways}
          rules={{ required: "Choose what is signed." }}
        />
      )}
      <p className="soft">{way.hint}</p>
      {!isOnlyHex && !isJson && (
        <FormRadioGroup
          {...{ control }}
          name="kind"
          label="The message is"
          options={kinds}
          orientation="horizontal"
          rules={{ required: "Choose how the message is written." }}
        />
      )}
      <FormTextArea
        {...{ control }}
        name="message"
        label={isOnlyHex ? "Digest" : isJson ? "Typed data in JSON" : "Message"}
        isMono={isOnlyHex || isJson || kind === "hex"}
        rows={4}
        rules={{ required: "Enter what the key should sign." }}
      />
      <Waits activityId={waiting} what="the signature is shown here" />
      <FormProblem error={error} />
      <div>
        <Button type="submit" kind="primary" isPending={isBusy}>
          Sign the message
        </Button>
      </div>
      {signed && <Signature name="Signature" {...signed} />}
    </form>
  );
}
