/**
 * What is wrong with the certificate of a server, by the code of the error with which Node.js or OpenSSL refuses it. Null
 * if the error is about something else.
 */
export function whyUntrusted(code: string): string | null {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return "its certificate has expired";
    case "CERT_NOT_YET_VALID":
      return "its certificate is not valid yet by the clock of this machine";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "its certificate is for another name";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return "its certificate is not from an authority that this machine trusts";
    default:
      return OTHER.test(code) ? "its certificate is not accepted" : null;
  }
}

const OTHER = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/;

/** Whether the other side does not speak TLS, or no version of it that this side does. */
export function isNoTls(code: string): boolean {
  return /^(ERR_SSL_|EPROTO)/.test(code);
}
