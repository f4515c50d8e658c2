import { getOrganization, whoami } from "@keyhearth/sdk";
import { useRead } from "./read.ts";

/** Who is logged in, and in which organization. */
export function useMe() {
  return useRead("whoami", whoami, {});
}

/** The whole organization: its users, policies, tags, root quorum and features. */
export function useOrganization() {
  return useRead("get_organization", getOrganization, {});
}
