import type { Activity } from "@keyhearth/sdk";
import { CircleAlert } from "lucide-react";
import { useCurrent } from "../../session/current.tsx";
import { Notice } from "../../ui/states.tsx";

type Failed = NonNullable<Activity["failure"]>;

/** Why it failed, or can no longer be decided, in the service's words, with the page that says what to do about it. */
export function Failure({
  failure: { message, details = [] },
  isWaiting,
}: {
  failure: Failed;
  isWaiting: boolean;
}) {
  const { service } = useCurrent();
  const code = details.flatMap((detail) => codeIn(detail) ?? [])[0];
  const page = `${service.baseUrl}/developer-reference/api-overview/errors`;
  return (
    <Notice tone="danger" icon={<CircleAlert size={18} aria-hidden />}>
      <strong>{isWaiting ? "Nobody can decide it now" : "It was allowed, and failed"}</strong>
      <span>{message ?? "The service does not say why."}</span>
      <a
        href={code === undefined ? page : `${page}#${code.toLowerCase().replaceAll("_", "-")}`}
        target="_blank"
        rel="noreferrer"
      >
        {code === undefined ? "What to do about errors" : `What to do about ${code}`}
      </a>
    </Notice>
  );
}

/** The stable code, which is a name in capitals. */
function codeIn(detail: object): string | undefined {
  return Object.values(detail).find(
    (value): value is string => typeof value === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(value),
  );
}
