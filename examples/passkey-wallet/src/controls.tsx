import { type ReactNode, useEffect, useRef, useState } from "react";
import { type Notice, noticeOf } from "./keyhearth.ts";
import type { Signed } from "./signing.ts";

/** What happened, read out by screen readers: errors at once, the rest when there is a pause. */
export function Message({ notice }: { notice: Notice | undefined }) {
  return (
    <div role={notice?.tone === "error" ? "alert" : "status"}>
      {notice && <p className={`notice ${notice.tone}`}>{notice.text}</p>}
    </div>
  );
}

/** Runs one thing at a time, and keeps what to tell people about its failure. */
export function useTask() {
  const [running, setRunning] = useState<string>();
  const [notice, setNotice] = useState<Notice>();
  async function run(name: string, work: () => Promise<void>): Promise<void> {
    if (running !== undefined) return;
    setRunning(name);
    setNotice(undefined);
    try {
      await work();
    } catch (error) {
      setNotice(noticeOf(error));
    } finally {
      setRunning(undefined);
    }
  }
  return { running, notice, run };
}

/** A button that stays focusable while it works, so that the keyboard does not lose its place. */
export function Action(props: {
  isBusy: boolean;
  busyText: string;
  kind?: "primary" | "secondary";
  type?: "button" | "submit";
  onClick?: () => void;
  children: ReactNode;
}) {
  const { isBusy, busyText, kind = "primary", type = "button", onClick, children } = props;
  return (
    <button
      type={type}
      className={kind}
      aria-disabled={isBusy}
      onClick={isBusy ? undefined : onClick}
    >
      {isBusy ? busyText : children}
    </button>
  );
}

/** Text to copy. If the browser refuses, people can still select it. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  }
  return (
    <div className="copyable">
      <code>{text}</code>
      <button
        type="button"
        className="small"
        aria-label={`Copy ${label}`}
        onClick={copy}
        onBlur={() => setCopied(false)}
      >
        {copied ? "Copied" : "Copy"}
      </button>
      <span role="status" className="unseen">
        {copied && `Copied ${label}`}
      </span>
    </div>
  );
}

/** What a form has just signed, below its button, and moved into view where the screen is too small. */
export function Result({ signed }: { signed: Signed | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (signed) place.current?.scrollIntoView({ block: "nearest" });
  }, [signed]);
  return (
    <div role="status" ref={place}>
      {signed && (
        <div className="notice calm">
          <p>
            <strong>Signed.</strong> {signed.label}, checked in this page:
          </p>
          <Copyable label={`new ${signed.label.toLowerCase()}`} text={signed.value} />
        </div>
      )}
    </div>
  );
}
