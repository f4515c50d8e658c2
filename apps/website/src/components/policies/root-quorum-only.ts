/** Activities that no policy can allow. A test holds this to the declarations of the engine. */
export const ROOT_QUORUM_ONLY: readonly string[] = ["update_root_quorum"];
