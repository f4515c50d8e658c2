import { CircleAlert, CloudOff, Lock, TriangleAlert } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { Button } from "./button.tsx";
import { type Problem, problemOf } from "./problems.ts";

const LINES = [1, 2, 3, 4, 5, 6, 7, 8];

/** In the place of something that is on its way. `what` is what a reader of the screen hears. */
export function Loading({ what = "this", lines = 4 }: { what?: string; lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading {what}…</span>
      {LINES.slice(0, lines).map((line) => (
        <div key={line} className="skeleton-line" />
      ))}
    </div>
  );
}

/** Nothing is there yet: says what would be, and how to make the first one. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children !== undefined && <p className="soft">{children}</p>}
      {action}
    </div>
  );
}

/** What went wrong, what to do about it, and another try. What the user may not do is said as that. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => unknown }) {
  const problem = problemOf(error);
  if (problem.kind === "denied") return <Denied problem={problem} />;
  return (
    <div className="state state-failed" role="alert">
      <p className="state-title row">
        <CircleAlert size={18} aria-hidden />
        {problem.title}
      </p>
      <p>{problem.text}</p>
      <div className="row">
        {onRetry && <Button onPress={() => void onRetry()}>Try again</Button>}
        <Explained problem={problem} />
      </div>
    </div>
  );
}

function Denied({ problem }: { problem: Problem }) {
  return (
    <div className="state state-denied" role="alert">
      <p className="state-title row">
        <Lock size={18} aria-hidden />
        {problem.title}
      </p>
      <p>{problem.text}</p>
      <Explained problem={problem} />
    </div>
  );
}

/** For a form: what is wrong as a whole, and not with one field. */
export function FormProblem({ error }: { error: unknown }) {
  if (error === undefined || error === null) return null;
  const problem = problemOf(error);
  return (
    <div className="notice notice-danger" role="alert">
      <TriangleAlert size={18} aria-hidden />
      <div className="stack-small">
        <span>{problem.text}</span>
        <Explained problem={problem} />
      </div>
    </div>
  );
}

function Explained({ problem }: { problem: Problem }) {
  if (problem.docsUrl === undefined) return null;
  return (
    <a href={problem.docsUrl} target="_blank" rel="noreferrer">
      What this means, and what to do
    </a>
  );
}

export function Notice({
  tone,
  icon,
  children,
}: {
  tone?: "warning" | "danger" | "good";
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={tone ? `notice notice-${tone}` : "notice"}>
      {icon}
      <div className="stack-small">{children}</div>
    </div>
  );
}

export function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    watchNetwork,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div role="status">
      {!isOnline && (
        <div className="banner">
          <CloudOff size={18} aria-hidden />
          This device is offline. What you see may be old, and nothing can be sent.
        </div>
      )}
    </div>
  );
}

function watchNetwork(listener: () => void) {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}
