import type { ReactNode } from "react";

/** Where what is around the screens is. */
export function ShellFrame({
  navigation,
  topbar,
  children,
}: {
  navigation: ReactNode;
  topbar: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="shell">
      {navigation}
      <div>
        <header className="topbar">{topbar}</header>
        {children}
      </div>
    </div>
  );
}
