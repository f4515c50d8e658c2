import { useQueryClient } from "@tanstack/react-query";
import { Menu as MenuIcon, Search } from "lucide-react";
import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useLocation } from "wouter";
import { WaitingBadge } from "../approvals/waiting-badge.tsx";
import { useMe } from "../data/organization.ts";
import { takeOver } from "../first/first.ts";
import { useCurrent } from "../session/current.tsx";
import { remember } from "../session/remembered.ts";
import { Button } from "../ui/button.tsx";
import { OfflineBanner } from "../ui/states.tsx";
import { Navigation } from "./navigation.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { ShellFrame } from "./shell-frame.tsx";
import { ThemeButton } from "./theme-button.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

/** What is around every screen. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: me } = useMe();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useFocusAfterNavigation(main);

  useRefreshAfterLogin();
  useLayoutEffect(takeOver, []);

  useEffect(() => {
    if (me) remember({ id: me.organizationId, name: me.organizationName });
  }, [me]);

  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);

  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <ShellFrame
        navigation={<Navigation badge={<WaitingBadge />} />}
        topbar={
          <>
            <span className="only-narrow">
              <Button
                kind="quiet"
                isIcon
                aria-label="Open the menu"
                onPress={() => setDrawerOpen(true)}
              >
                <MenuIcon size={20} aria-hidden />
              </Button>
            </span>
            <strong>{me?.organizationName}</strong>
            <span className="topbar-space" />
            <span className="only-wide">
              <Button isSmall onPress={() => setPaletteOpen(true)}>
                <Search size={15} aria-hidden />
                Go to… <kbd>{isApple ? "⌘K" : "Ctrl K"}</kbd>
              </Button>
            </span>
            <ThemeButton />
            <SessionMenu />
          </>
        }
      >
        <OfflineBanner />
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </ShellFrame>
      <ModalOverlay
        className="drawer-backdrop"
        isOpen={isDrawerOpen}
        onOpenChange={setDrawerOpen}
        isDismissable
      >
        <Modal className="drawer">
          <Dialog aria-label="Menu">
            <Navigation badge={<WaitingBadge />} onNavigate={() => setDrawerOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** What could not be read while the session was over is read again once somebody has logged in over the screen. */
function useRefreshAfterLogin() {
  const { connection } = useCurrent();
  const queries = useQueryClient();
  const known = useRef(connection);
  useEffect(() => {
    if (known.current === connection) return;
    known.current = connection;
    void queries.invalidateQueries({ queryKey: ["api"] });
  }, [connection, queries]);
}

/** After a navigation, the keyboard goes on from the new screen, whose title is focused once it is there. */
function useFocusAfterNavigation(main: { current: HTMLElement | null }) {
  const [path] = useLocation();
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    scrollTo(0, 0);
    const heading = main.current?.querySelector("h1");
    (heading ?? main.current)?.focus({ preventScroll: true });
  }, [path, main]);
}
