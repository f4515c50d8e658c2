/** What a request signs, if policies can read it. A request has at most one of these roots. */
export const SIGNED_ROOTS = [
  "eth.tx",
  "eth.eip_712",
  "eth.eip_7702_authorization",
  "solana.tx",
  "tron.tx",
  "bitcoin.tx",
  "tempo.tx",
] as const;
