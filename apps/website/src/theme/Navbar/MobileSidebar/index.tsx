// The theme renders the menu of a phone, with all its links, in one piece as soon as the page is interactive. Deferred,
// React renders it in slices, so that a touch in the meantime is not kept waiting.
import { useNavbarMobileSidebar } from "@docusaurus/theme-common/internal";
import MobileSidebar from "@theme-original/Navbar/MobileSidebar";
import { useDeferredValue } from "react";

export default function DeferredMobileSidebar() {
  const { shouldRender } = useNavbarMobileSidebar();
  return useDeferredValue(shouldRender) && <MobileSidebar />;
}
