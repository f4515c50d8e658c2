/** A request of an operation: its body as the contract or the reader has it. */
export type SampleRequest = {
  name: string;
  kind: "query" | "submit";
  /** Of a submission: what its body names. */
  type?: string;
  organizationId: string;
  parameters: Record<string, unknown>;
};

export type SampleLanguage = "curl" | "TypeScript" | "Go" | "Python";

export const sampleLanguages: readonly { name: SampleLanguage; code: string }[] = [
  { name: "curl", code: "bash" },
  { name: "TypeScript", code: "ts" },
  { name: "Go", code: "go" },
  { name: "Python", code: "python" },
];

/** Of a body: what the clients of all languages take apart. */
export function readSample(name: string, kind: "query" | "submit", body: string): SampleRequest {
  const { type, organizationId, parameters, timestampMs: _, ...rest } = JSON.parse(body);
  if (kind === "query") return { name, kind, organizationId, parameters: rest };
  return { name, kind, type, organizationId, parameters };
}

/** A whole program that sends the request with the API key in a key file. */
export function programOf(language: SampleLanguage, request: SampleRequest, service: string) {
  switch (language) {
    case "curl":
      return shell(request, service);
    case "TypeScript":
      return typeScript(request, service);
    case "Go":
      return go(request, service);
    case "Python":
      return python(request, service);
  }
}

function shell({ name, kind, type, organizationId, parameters }: SampleRequest, service: string) {
  const body =
    kind === "query"
      ? { organizationId, ...parameters }
      : { type, timestampMs: "'\"$(date +%s)000\"'", organizationId, parameters };
  const text = JSON.stringify(body, null, 2)
    .replaceAll("'", "'\\''")
    // The time of the request is the one place where the shell puts something in.
    .replace(`"'\\''\\"$(date +%s)000\\"'\\''"`, `"'"$(date +%s)000"'"`);
  return `key_file=data/root-api-key.json
member() { sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" "$key_file"; }
umask 077
pem=$(mktemp)
printf '30310201010420%sa00a06082a8648ce3d030107' "$(member apiPrivateKey)" |
  xxd -r -p | openssl ec -inform DER -out "$pem" 2> /dev/null

body='${text}'
signature=$(printf %s "$body" | openssl dgst -sha256 -sign "$pem" | xxd -p | tr -d '\\n')
rm -f "$pem"
stamp=$(printf '{"publicKey":"%s","scheme":"SIGNATURE_SCHEME_TK_API_P256","signature":"%s"}' \\
  "$(member apiPublicKey)" "$signature" | openssl base64 -A | tr '+/' '-_' | tr -d '=')
curl --silent --show-error ${service}/public/v1/${kind}/${name} \\
  -H "Content-Type: application/json" -H "X-Stamp: $stamp" --data-raw "$body"
`;
}

function typeScript({ name, organizationId, parameters }: SampleRequest, service: string) {
  const method = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const given = Object.keys(parameters).length === 0 ? "" : JSON.stringify(parameters, null, 2);
  return `import { KeyhearthClient } from "@keyhearth/sdk";
import { NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";

const client = new KeyhearthClient({
  baseUrl: "${service}",
  organizationId: "${organizationId}",
  stamper: new NodeApiKeyStamper(await readApiKeyFile("data/root-api-key.json")),
});
console.log(await client.${method}(${given.replace(/^(\s*)"(\w+)":/gm, "$1$2:")}));
`;
}

function python({ name, kind, type, organizationId, parameters }: SampleRequest, service: string) {
  const given = literal(parameters, pythonForms, "");
  const call =
    kind === "query"
      ? `client.query("${name}", ${given})`
      : `client.submit("${name}", "${type}", ${given}).result`;
  return `from keyhearth import Client, KeyFile

key = KeyFile.read("data/root-api-key.json")
client = Client("${service}", "${organizationId}", key.api_key)
print(${call})
`;
}

function go({ name, kind, type, organizationId, parameters }: SampleRequest, service: string) {
  const given = literal(parameters, goForms, "\t");
  const call =
    kind === "query"
      ? `err = client.Query(context.Background(), "${name}", ${given}, &answer)`
      : `_, err = client.Submit(context.Background(), "${name}", "${type}", ${given}, &answer)`;
  return `package main

import (
	"context"
	"fmt"
	"log"

	"keyhearth.example/go/keyhearth"
)

func main() {
	key, err := keyhearth.ReadKeyFile("data/root-api-key.json")
	if err != nil {
		log.Fatal(err)
	}
	stamper, err := keyhearth.NewAPIKey(key.APIPublicKey, key.APIPrivateKey)
	if err != nil {
		log.Fatal(err)
	}
	client, err := keyhearth.New("${service}", "${organizationId}", stamper)
	if err != nil {
		log.Fatal(err)
	}
	var answer map[string]any
	${call}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}
`;
}

/** How a language writes what JSON can say. */
type Forms = {
  indent: string;
  object: string;
  list: [string, string];
  words: Record<"true" | "false" | "null", string>;
};

const pythonForms: Forms = {
  indent: "    ",
  object: "{",
  list: ["[", "]"],
  words: { true: "True", false: "False", null: "None" },
};

const goForms: Forms = {
  indent: "\t",
  object: "map[string]any{",
  list: ["[]any{", "}"],
  words: { true: "true", false: "false", null: "nil" },
};

function literal(value: unknown, forms: Forms, indent: string): string {
  if (value === null || typeof value === "boolean") {
    return forms.words[`${value}`];
  }
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = indent + forms.indent;
  const lines = Array.isArray(value)
    ? value.map((each) => literal(each, forms, inner))
    : Object.entries(value).map(([name, each]) => `"${name}": ${literal(each, forms, inner)}`);
  const [begin, end] = Array.isArray(value) ? forms.list : [forms.object, "}"];
  if (lines.length === 0) return begin + end;
  return `${begin}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${end}`;
}
