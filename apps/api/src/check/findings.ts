/** What was looked at, and what is wrong about it with the remedy. The command line shows them. */
export type Finding = {
  readonly check: string;
  readonly status: "ok" | "warning" | "error";
  readonly message: string;
};

export const fine = (check: string, message: string): Finding => ({ check, status: "ok", message });
export const doubtful = (check: string, message: string): Finding => ({
  check,
  status: "warning",
  message,
});
export const wrong = (check: string, message: string): Finding => ({
  check,
  status: "error",
  message,
});
