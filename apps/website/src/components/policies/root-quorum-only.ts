/** Activities that no policy can allow. A test compares this list with the engine’s declarations. */
export const ROOT_QUORUM_ONLY: readonly string[] = ["update_root_quorum"];
