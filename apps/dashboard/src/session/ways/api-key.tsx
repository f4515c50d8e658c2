import { logInWith } from "@keyhearth/sdk/browser";
import { useEffect, useState } from "react";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { useForm } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { FormCheckbox, FormTextArea } from "../../ui/form.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { problemOf } from "../../ui/problems.ts";
import { FormProblem } from "../../ui/states.tsx";
import {
  forgetKeptKey,
  type KeptKey,
  keptStamper,
  readApiKey,
  readKeptKey,
  stamperOf,
} from "../kept-key.ts";
import { isId, organizationOfAddress } from "../remembered.ts";
import type { WayProps } from "../way.ts";

/** Key files are a few hundred bytes. */
const LARGEST_FILE = 10_000;

/** The key logs in a session, and stays in this browser only if people ask for that. */
export function Way({ keeper, organizationId: expected, expirationSeconds }: WayProps) {
  const { control, handleSubmit, setError, setValue, resetField, getValues } = useForm({
    defaultValues: {
      key: "",
      organizationId: expected ?? organizationOfAddress() ?? "",
      isKept: false,
    },
  });
  const [error, fail] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [kept, setKept] = useState<KeptKey>();
  const [asksForId, setAsksForId] = useState(false);
  // What is in the file is never shown: somebody may look over the shoulder of whoever chose it.
  const [file, setFile] = useState<{ name: string; text: string }>();

  useEffect(() => {
    readKeptKey().then(setKept, () => {});
  }, []);

  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    fail(undefined);
    try {
      await work();
    } catch (cause) {
      fail(cause);
    } finally {
      setBusy(false);
    }
  };

  const logIn = handleSubmit((values) =>
    attempt(async () => {
      const key = await readApiKey(file?.text ?? values.key).catch((cause: unknown) => {
        setFile(undefined);
        setError("key", { message: problemOf(cause).text }, { shouldFocus: true });
      });
      if (!key) return;
      const organizationId = key.organizationId ?? values.organizationId.trim().toLowerCase();
      if (!isId(organizationId)) {
        setAsksForId(true);
        setError("organizationId", {
          message: "The key alone does not say whose it is: enter the id of its organization.",
        });
        return;
      }
      const stamper = await stamperOf(key, { organizationId, isKept: values.isKept });
      await logInWith(keeper, stamper, { organizationId, expirationSeconds });
      // The page has the private key until it changes.
      setValue("key", "");
      setFile(undefined);
    }),
  );

  return (
    <div className="stack">
      <FormProblem error={error} />
      {kept && (expected === undefined || kept.organizationId === expected) && (
        <div className="choice">
          <Button
            kind="primary"
            isPending={isBusy}
            onPress={() =>
              void attempt(async () => {
                const { organizationId } = kept;
                await logInWith(keeper, await keptStamper(), { organizationId, expirationSeconds });
              })
            }
          >
            Log in with the key of this browser
          </Button>
          <div className="row row-between">
            <span className="faint mono">{kept.publicKey.slice(0, 16)}…</span>
            <Button
              kind="quiet"
              isSmall
              onPress={() => void forgetKeptKey().then(() => setKept(undefined))}
            >
              Forget it
            </Button>
          </div>
        </div>
      )}
      <form className="stack" onSubmit={logIn} autoComplete="off">
        {file && (
          <div className="row row-between">
            <span role="status">
              The key file <strong>{file.name}</strong> is chosen.
            </span>
            <Button kind="quiet" isSmall onPress={() => setFile(undefined)}>
              Paste a key instead
            </Button>
          </div>
        )}
        {!file && (
          <FormTextArea
            {...{ control }}
            name="key"
            label="API key"
            isMono
            rows={5}
            spellCheck="false"
            autoComplete="off"
            hint="Paste a key file, or the private key in hex. It stays in this browser: requests are signed here."
            rules={{ required: "Paste a key, or choose its file." }}
          />
        )}
        <FileTrigger
          acceptedFileTypes={["application/json", ".json", ".txt"]}
          onSelect={(files) => {
            const [chosen] = files ?? [];
            if (!chosen) return;
            if (chosen.size > LARGEST_FILE) {
              setFile(undefined);
              setError("key", { message: "That file is too large to be a key file." });
              return;
            }
            void chosen.text().then(
              (text) => {
                resetField("key");
                setFile({ name: chosen.name, text });
              },
              () =>
                setError("key", { message: "The browser cannot read that file. Choose it again." }),
            );
          }}
        >
          <Button isSmall>{file ? "Choose another key file" : "Choose a key file"}</Button>
        </FileTrigger>
        {(asksForId || getValues("organizationId") !== "") && expected === undefined && (
          <FormText
            {...{ control }}
            name="organizationId"
            label="Organization id"
            isMono
            autoComplete="off"
          />
        )}
        <FormCheckbox
          {...{ control }}
          name="isKept"
          hint="Nobody can read it out of the browser, but everybody who uses this browser profile can use it."
        >
          Keep the key in this browser.
        </FormCheckbox>
        <Button type="submit" kind={kept ? "secondary" : "primary"} isPending={isBusy}>
          Log in with the key
        </Button>
      </form>
    </div>
  );
}
