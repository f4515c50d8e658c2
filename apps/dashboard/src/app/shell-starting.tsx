import { Menu } from "lucide-react";
import { OverviewFrame } from "../screens/overview/frame.tsx";
import { Button } from "../ui/button.tsx";
import { Loading } from "../ui/states.tsx";
import { Navigation } from "./navigation.tsx";
import { ShellFrame } from "./shell-frame.tsx";
import { ThemeButton } from "./theme-button.tsx";

/** What somebody who is logged in sees first: the head of the overview, or at any other screen what is around it. */
export function ShellStarting() {
  return (
    <ShellFrame
      navigation={<Navigation />}
      topbar={
        <>
          <span className="only-narrow">
            <Button kind="quiet" isIcon aria-label="Open the menu">
              <Menu size={20} aria-hidden />
            </Button>
          </span>
          <span className="topbar-space" />
          <ThemeButton />
        </>
      }
    >
      <main>
        <div className="first-screen page">
          <h1 className="visually-hidden">Keyhearth</h1>
          <Loading what="the dashboard" lines={8} />
        </div>
        <div className="first-overview">
          <OverviewFrame id={<span className="overview-id" />}>
            <Loading what="your organization" lines={8} />
          </OverviewFrame>
        </div>
      </main>
    </ShellFrame>
  );
}
