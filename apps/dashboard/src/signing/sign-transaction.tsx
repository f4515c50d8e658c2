import { signTransaction, type TransactionType } from "@keyhearth/sdk";
import { TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { usePatience } from "../data/patient.ts";
import { Waits } from "../secrets/waits.tsx";
import { ReadingFacts } from "../transaction/facts.tsx";
import { useReader } from "../transaction/interfaces.ts";
import type { Reading } from "../transaction/reading.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { FormSelect, FormTextArea } from "../ui/form.tsx";
import { seen } from "../ui/seen.ts";
import { FormProblem, Notice } from "../ui/states.tsx";
import type { Signer } from "./messages.ts";
import { Signature } from "./signature.tsx";

const ethereum = { id: "TRANSACTION_TYPE_ETHEREUM", label: "Ethereum and other EVM chains" };
const tron = { id: "TRANSACTION_TYPE_TRON", label: "Tron", hint: "raw_data_hex" };
const bitcoin = { id: "TRANSACTION_TYPE_BITCOIN", label: "Bitcoin", hint: "PSBT" };
const solana = { id: "TRANSACTION_TYPE_SOLANA", label: "Solana" };
const tempo = { id: "TRANSACTION_TYPE_TEMPO", label: "Tempo" };

type TypeOption = { id: string; label: string; hint?: string };

function typesOf({ curve, format }: Signer): readonly TypeOption[] {
  if (curve === "CURVE_ED25519") return [solana];
  if (curve === "CURVE_P256") return [];
  if (format === "ADDRESS_FORMAT_TRON") return [tron];
  if (format?.startsWith("ADDRESS_FORMAT_BITCOIN_")) return [bitcoin];
  if (format === "ADDRESS_FORMAT_ETHEREUM") return [ethereum, tempo];
  return [ethereum, tron, bitcoin, tempo];
}

type Pasted = { hex: string; type: TransactionType; reading: Reading };

/** Reads a transaction out before it can be signed. */
export function SignTransaction({ signer }: { signer: Signer }) {
  const types = typesOf(signer);
  const form = useForm({ defaultValues: { transaction: "", type: types[0]?.id ?? "" } });
  const { control, handleSubmit, watch, setError } = form;
  const [pasted, setPasted] = useState<Pasted>();
  const [transaction, type] = watch(["transaction", "type"]);
  // Nobody signs one that was changed after it was read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => setPasted(undefined), [transaction, type]);

  const readOut = useReader();
  const read = handleSubmit(async (values) => {
    const chosen = values.type as TransactionType; // one of `types`
    try {
      const { bytesOfPasted } = await import("../transaction/read.ts");
      const bytes = bytesOfPasted(values.transaction, chosen);
      const { signWith, format } = signer;
      const reading = await readOut({ type: chosen, bytes, signWith, format });
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      setPasted({ hex, type: chosen, reading });
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause);
      const message = /^[A-Z]/.test(said) ? said : `The signer cannot read this: ${said}.`;
      setError("transaction", { message }, { shouldFocus: true });
    }
  });

  if (types.length === 0) {
    return (
      <p className="soft">
        The service reads no transactions that such a key signs. Sign their digests as messages.
      </p>
    );
  }
  return (
    <div className="stack">
      <form className="stack" onSubmit={read}>
        {types.length > 1 && (
          <FormSelect
            {...{ control }}
            name="type"
            label="Chain of the transaction"
            options={types}
            rules={{ required: "Choose the chain." }}
          />
        )}
        <FormTextArea
          {...{ control }}
          name="transaction"
          label="Unsigned transaction"
          hint={hintOf(type)}
          isMono
          rows={5}
          rules={{ required: "Paste the transaction that the key should sign." }}
        />
        {!pasted && (
          <div>
            <Button type="submit" kind="primary">
              Read the transaction
            </Button>
          </div>
        )}
      </form>
      {pasted && (
        <Confirm
          key={pasted.type + pasted.hex}
          {...{ signer, pasted }}
          onBack={() => setPasted(undefined)}
        />
      )}
    </div>
  );
}

function hintOf(type: string): string {
  switch (type) {
    case "TRANSACTION_TYPE_BITCOIN":
      return "A PSBT in Base64 or hexadecimal digits.";
    case "TRANSACTION_TYPE_SOLANA":
      return "The whole transaction with empty signatures, in Base64 or hexadecimal digits.";
    case "TRANSACTION_TYPE_TRON":
      return "Its raw_data_hex.";
    default:
      return "In hexadecimal digits, with or without 0x.";
  }
}

function Confirm({
  signer,
  pasted: { hex, type, reading },
  onBack,
}: {
  signer: Signer;
  pasted: Pasted;
  onBack: () => void;
}) {
  const [isAware, setAware] = useState(false);
  const [signed, setSigned] = useState<{ text: string; verdict: boolean | undefined }>();
  const { run, isBusy, error, waiting } = usePatience();
  const sign = async () => {
    const found = await run(async (step) => {
      const { signedTransaction: text } = await step((connection, options) =>
        signTransaction(
          connection,
          { signWith: signer.signWith, unsignedTransaction: hex, type },
          options,
        ),
      );
      const { verifyTransaction } = await import("./verify.ts");
      return { text, verdict: verifyTransaction(signer, type, { unsigned: hex, signed: text }) };
    });
    setSigned(found);
  };
  return (
    <section className="card stack" aria-label="What the transaction does">
      <h3>{seen(reading.title)}</h3>
      {reading.warnings.map((warning) => (
        <Notice key={warning} tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
          <p>{seen(warning)}</p>
        </Notice>
      ))}
      <ReadingFacts {...{ reading }} />
      {reading.isUnread && !signed && (
        <Checkbox isSelected={isAware} onChange={setAware}>
          I know what this transaction does.
        </Checkbox>
      )}
      <Waits activityId={waiting} what="the signed transaction is shown here" />
      <FormProblem error={error} />
      {signed ? (
        <Signature name="Signed transaction" {...signed} />
      ) : (
        <div className="row">
          <Button
            kind="primary"
            isPending={isBusy}
            isDisabled={reading.isUnread && !isAware}
            onPress={() => void sign()}
          >
            Sign the transaction
          </Button>
          <Button kind="quiet" onPress={onBack}>
            Change it
          </Button>
        </div>
      )}
    </section>
  );
}
