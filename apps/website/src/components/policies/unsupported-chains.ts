/**
 * Chains that the language knows but this version of the service does not sign for. A test
 * compares this list with what the engine decodes.
 */
export const UNSUPPORTED_CHAINS: readonly string[] = ["tempo"];
