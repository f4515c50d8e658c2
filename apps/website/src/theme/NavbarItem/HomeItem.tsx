import { useActiveDocContext } from "@docusaurus/plugin-content-docs/client";
import { useLocation } from "@docusaurus/router";
import { isSamePath } from "@docusaurus/theme-common/internal";
import useBaseUrl from "@docusaurus/useBaseUrl";
import DefaultNavbarItem, { type Props } from "@theme/NavbarItem/DefaultNavbarItem";

/** Leads home, where the documentation begins. It is marked there, and on every page of its sidebar. */
export default function HomeItem({ sidebarId, ...props }: Props & { sidebarId: string }) {
  const { activeDoc } = useActiveDocContext(undefined);
  const { pathname } = useLocation();
  const home = useBaseUrl("/");
  const isActive = () => activeDoc?.sidebar === sidebarId || isSamePath(pathname, home);
  return <DefaultNavbarItem {...props} to="/" exact isActive={isActive} />;
}
