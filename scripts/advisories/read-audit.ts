export type Found = "nothing" | { unreachable: string } | { report: string };

/** What a registry that does not answer, or has no such service, makes npm say. */
const networkCodes = new Set([
  ...["EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH", "ENOTFOUND"],
  ...["ETIMEDOUT", "ERR_SOCKET_TIMEOUT", "E404", "E405", "E500", "E502", "E503", "E504"],
]);

/** What `npm audit --json` or `npm audit signatures --json` found. */
export function readAudit(stdout: string, exitCode: number): Found {
  if (exitCode === 0) return "nothing";
  const { error, message, statusCode } = parse(stdout);
  const code = statusCode ? `E${statusCode}` : (error?.code ?? "");
  if (!networkCodes.has(code)) return { report: stdout };
  return { unreachable: error?.summary || message || code };
}

type Answer = {
  message?: string;
  statusCode?: number;
  error?: { code?: string; summary?: string };
};

function parse(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}
