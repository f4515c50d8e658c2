/** Activities that no policy can allow. A test compares this list with the engine’s declarations. */
export const ROOT_QUORUM_ONLY: readonly string[] = [
  "delete_organization",
  "remove_organization_feature",
  "set_organization_feature",
  "update_organization_name",
  "update_root_quorum",
];
