import type { SignUpRequest } from "@keyhearth/sdk/react";

/** Has the server create the sub-organization. The page has no key that could. */
export async function register(
  request: SignUpRequest & { name: string },
): Promise<{ organizationId: string }> {
  const answer = await fetch("/sign-up", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const { organizationId, error } = await answer
    .json()
    .catch(() => ({ error: "Sign-up failed: see the server's log" }));
  if (!answer.ok) throw new Error(error);
  return { organizationId };
}
