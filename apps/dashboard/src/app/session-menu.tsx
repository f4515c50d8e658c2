import { Clock, LogOut, UserRound } from "lucide-react";
import { useState } from "react";
import { useMe } from "../data/organization.ts";
import { useCurrent } from "../session/current.tsx";
import { ENDS_SOON_MS } from "../session/lifetime.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu } from "../ui/menu.tsx";
import { problemOf } from "../ui/problems.ts";
import { useNow } from "../ui/time.tsx";
import { tell } from "../ui/toasts.tsx";

/** Who is logged in, how long still, and how to change that. */
export function SessionMenu() {
  const { keeper, session } = useCurrent();
  const { data: me } = useMe();
  const now = useNow(5000);
  const [isEndingAll, setEndingAll] = useState(false);
  const leftMs = session.expiresAtMs - now;

  const attempt = (work: Promise<unknown>, done?: string) =>
    work.then(
      () => {
        if (done !== undefined) tell({ title: done });
        return true;
      },
      (error: unknown) => {
        const { title, text } = problemOf(error);
        tell({ title, text, tone: "danger" });
        return false;
      },
    );
  const extend = () => attempt(keeper.refresh(), "Your session lasts an hour from now");

  return (
    <>
      {leftMs > 0 && leftMs < ENDS_SOON_MS && (
        <Button isSmall onPress={() => void extend()}>
          <Clock size={15} aria-hidden />
          Stay logged in
        </Button>
      )}
      <Menu
        label="Session"
        trigger={
          <Button kind="quiet">
            <UserRound size={18} aria-hidden />
            <span className="session-name">
              <span className="visually-hidden">Session of </span>
              <span>{me?.username ?? "…"} </span>
              <span className="faint">{left(leftMs)}</span>
            </span>
          </Button>
        }
        entries={[
          {
            id: "extend",
            label: "Extend the session",
            hint: left(leftMs),
            icon: <Clock size={16} aria-hidden />,
            onAction: () => void extend(),
          },
          "separator",
          {
            id: "log-out",
            label: "Log out",
            icon: <LogOut size={16} aria-hidden />,
            onAction: () => void attempt(keeper.logOut()),
          },
          {
            id: "log-out-everywhere",
            label: "Log out everywhere",
            hint: "Ends your sessions on all devices",
            isDanger: true,
            icon: <LogOut size={16} aria-hidden />,
            onAction: () => setEndingAll(true),
          },
        ]}
      />
      <ConfirmDialog
        title="Log out everywhere?"
        isOpen={isEndingAll}
        onClose={() => setEndingAll(false)}
        action="Log out everywhere"
        onConfirm={() => attempt(keeper.logOut({ everywhere: true }))}
      >
        <p>
          Every session of yours ends, in this browser and on all other devices. Your passkeys and
          API keys stay.
        </p>
      </ConfirmDialog>
    </>
  );
}

function left(ms: number): string {
  if (ms <= 0) return "session over";
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 120) return `${minutes} min left`;
  return `${Math.round(minutes / 60)} h left`;
}
