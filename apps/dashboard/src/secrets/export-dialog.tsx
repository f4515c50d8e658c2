import type { KeyFormat } from "@keyhearth/sdk/crypto";
import { EyeOff } from "lucide-react";
import { useRef, useState } from "react";
import { useCurrent } from "../session/current.tsx";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/choices.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { FormProblem, Notice } from "../ui/states.tsx";
import { useNow } from "../ui/time.tsx";
import { keyFormatsOf, usualFormat } from "./key-formats.ts";
import { placeOf, type SecretPlace } from "./place.ts";
import { type Exported, useReveal } from "./reveal.ts";
import "./secrets.css";
import { Waits } from "./waits.tsx";
import { Where } from "./where.tsx";

/** Shows a secret, after a warning and a button. */
export function ExportDialog({ what, onClose }: { what: Exported; onClose: () => void }) {
  const place = placeOf(useCurrent().service);
  const box = useRef<HTMLDivElement>(null);
  const [keyFormat, setKeyFormat] = useState<KeyFormat>(
    what.kind === "wallet" ? "HEXADECIMAL" : usualFormat(what.format),
  );
  const [isAlone, setAlone] = useState(false);
  const reveal = useReveal(box, place);
  const { show, hide, untilMs, wasHidden, isBusy, error, waiting, goOn } = reveal;
  const isShown = untilMs !== undefined;
  return (
    <Dialog
      title={what.kind === "wallet" ? "Show the recovery phrase" : "Show the private key"}
      isOpen
      onClose={onClose}
      mustAnswer={isShown}
    >
      {!isShown && (
        <>
          <Warning what={what} place={place} />
          <Formats what={what} chosen={keyFormat} onChoose={setKeyFormat} />
          <Checkbox isSelected={isAlone} onChange={setAlone}>
            Nobody else can see my screen.
          </Checkbox>
        </>
      )}
      {wasHidden && <p role="status">It is hidden again, and this page no longer has it.</p>}
      <div ref={box} className={place.kind === "frame" ? "secret-frame" : "secret"} />
      {untilMs !== undefined && <Left untilMs={untilMs} />}
      <Waits activityId={waiting} what="the secret can be shown here" />
      {goOn && <p role="status">It is there. Show it once nobody else can see your screen.</p>}
      <FormProblem error={error} />
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
        {isShown ? (
          <Button kind="primary" onPress={hide} autoFocus>
            <EyeOff size={16} aria-hidden />
            Hide
          </Button>
        ) : goOn ? (
          <Button kind="primary" onPress={goOn}>
            Show it now
          </Button>
        ) : (
          <Button
            kind="primary"
            isPending={isBusy}
            isDisabled={!isAlone || place.kind === "nowhere"}
            onPress={() => void show(what, keyFormat)}
          >
            Show
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function Warning({ what, place }: { what: Exported; place: SecretPlace }) {
  return (
    <>
      <Notice tone="warning">
        <p>
          {what.kind === "wallet"
            ? "Anyone who has these words can take everything in this wallet, now and later."
            : "Anyone who has this key can take everything at its address, now and later."}{" "}
          Nobody can undo that. If somebody asked you to do this, stop: nobody who helps you needs
          it.
        </p>
      </Notice>
      <Where place={place} />
    </>
  );
}

function Formats({
  what,
  chosen,
  onChoose,
}: {
  what: Exported;
  chosen: KeyFormat;
  onChoose: (format: KeyFormat) => void;
}) {
  const formats = what.kind === "wallet" ? [] : keyFormatsOf(what.curve);
  if (formats.length < 2) return null;
  return (
    <Select
      label="Format"
      options={formats}
      value={chosen}
      onChange={(key) => onChoose(formats.find(({ id }) => id === key)?.id ?? "HEXADECIMAL")}
    />
  );
}

function Left({ untilMs }: { untilMs: number }) {
  const now = useNow(1000);
  const seconds = Math.max(0, Math.ceil((untilMs - now) / 1000));
  return <p className="faint">Write it down. It is hidden in {seconds} s, and when you leave.</p>;
}
