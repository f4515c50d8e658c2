import { promises } from "node:fs";
import { InvalidCredential } from "../errors/errors.ts";

/** A key file of the service: an API key, its user and its organization. */
export type ApiKeyFile = {
  organizationId: string;
  userId: string;
  /** 33 bytes in hex, a compressed point on P-256. */
  apiPublicKey: string;
  /** 32 bytes in hex. */
  apiPrivateKey: string;
};

const forms: Record<keyof ApiKeyFile, RegExp> = {
  organizationId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  userId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  apiPublicKey: /^0[23][0-9a-f]{64}$/,
  apiPrivateKey: /^[0-9a-f]{64}$/,
};

/**
 * Reads a key file, such as `data/root-api-key.json`, which the first start of a service writes.
 * Throws `InvalidCredential` if the file cannot be read or is not a key file.
 */
export async function readApiKeyFile(path: string | URL): Promise<ApiKeyFile> {
  if (
    !(path instanceof URL) &&
    (typeof path !== "string" || /^(0x)?[0-9a-f]{64,66}$/i.test(path))
  ) {
    throw new InvalidCredential(
      "path must be the path of a key file, such as data/root-api-key.json",
      {
        code: "INVALID_CREDENTIAL",
        field: "path",
      },
    );
  }
  const file = parse(await read(path));
  const wrong = Object.entries(forms).filter(([field, form]) => {
    const value = file?.[field];
    return typeof value !== "string" || !form.test(value);
  });
  if (wrong.length === 0) {
    // Every member was checked above.
    const { organizationId, userId, apiPublicKey, apiPrivateKey } = file as ApiKeyFile;
    return { organizationId, userId, apiPublicKey, apiPrivateKey };
  }
  const names = wrong.map(([field]) => field).join(", ");
  throw new InvalidCredential(
    `${path} is not a key file: ${names} missing or malformed. Use the file that the service's first start wrote, data/root-api-key.json`,
    { code: "INVALID_CREDENTIAL" },
  );
}

async function read(path: string | URL): Promise<string> {
  try {
    return await promises.readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new InvalidCredential(
      `${path} cannot be read (${code}). Start the service once, or give the path of its key file`,
      { code: "INVALID_CREDENTIAL", cause },
    );
  }
}

// The parser's message would show a part of the file.
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
