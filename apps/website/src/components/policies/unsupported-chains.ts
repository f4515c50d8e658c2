/**
 * Chains that the language knows and this version of the service does not sign for. A test holds
 * this to what the engine decodes.
 */
export const UNSUPPORTED_CHAINS: readonly string[] = ["tron", "bitcoin", "tempo"];
