/**
 * Takes `fetch` away from everything in this thread. The library that verifies attestation statements
 * would look up revoked certificates at an address that the certificate names, and so at any address
 * that a client chooses. Without the answer it goes on, as it does when the address cannot be reached.
 * The keys of token issuers are fetched by guarded requests, which do not use it. What listens to APIs on other
 * machines opens no connection, and its TLS asks nobody about a certificate.
 */
export function withoutNetwork() {
  globalThis.fetch = () => Promise.reject(new Error("the signer uses no network"));
}
