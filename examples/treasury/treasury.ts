import { parseArgs } from "node:util";
import { Cancelled, KeyhearthError } from "@keyhearth/sdk";
import { approve, list, propose, reject, status } from "./commands.ts";
import { baseUrl, clientOf, directory, isSetUp, rootKeyFile, UserError } from "./members.ts";
import { setUp } from "./setup.ts";

const help = `Payments that two of three members approve.

  npm run treasury -- COMMAND [ID] --as NAME

Commands:
  setup                          create the treasury and its three members
  propose --to ADDRESS --amount ETHER
                                 propose a payment, which counts as your approval
  list                           show the latest proposals
  status ID                      show one proposal, and its signed transaction
  approve ID                     show what would be signed, ask, and approve
  reject ID                      end a proposal

Options:
  --as NAME                      the member whose key is used: ada, bob or carol
  --fingerprint FINGERPRINT      approve or reject only the request that has it, which
                                 propose printed
  --yes, -y                      approve or reject without asking: needs --fingerprint
  --help, -h                     show this help`;

const commands = ["setup", "propose", "list", "status", "approve", "reject"];

class UsageError extends Error {}

async function main(): Promise<string> {
  const { values, positionals } = parse();
  const [command, id, ...rest] = positionals;
  if (values.help) return help;
  if (command === undefined || rest.length > 0) throw new UsageError("Name one command.");
  if (!commands.includes(command)) throw new UsageError(`There is no command ${command}.`);
  if (command === "setup") return setUp();
  if (values.as === undefined) throw new UsageError("Set --as to the member whose key to use.");
  const client = await clientOf(values.as);
  const { to, amount, yes = false, fingerprint } = values;
  if (command === "propose") return propose(client, { to, amount });
  if (command === "list") return list(client);
  if (id === undefined) throw new UsageError(`Name the proposal: ${command} ID`);
  if (command === "status") return status(client, id);
  if (yes && fingerprint === undefined) {
    throw new UsageError(
      "--yes needs --fingerprint FINGERPRINT, because the service says which request has the id: take the fingerprint from the requester, whose command or program printed it, or leave --yes out to read the request and be asked",
    );
  }
  const vote = command === "approve" ? approve : reject;
  return vote(client, id, { yes, fingerprint, show: console.log });
}

/** What the person at the keyboard can do about an error. */
function explain(error: UserError | KeyhearthError): string {
  const code = error instanceof KeyhearthError ? error.code : "";
  if (code === "NETWORK") {
    return `Keyhearth does not answer at ${baseUrl}. Start it with npm start, or set KEYHEARTH_URL to its address.`;
  }
  if (["ORGANIZATION_NOT_FOUND", "CREDENTIAL_NOT_FOUND"].includes(code)) {
    if (!isSetUp()) {
      return `The key in ${rootKeyFile} is of another installation than the one at ${baseUrl}. Set KEYHEARTH_URL to its address, or KEYHEARTH_ROOT_KEY to root-api-key.json of the other one.`;
    }
    return `The keys in ${directory} are of another installation than the one at ${baseUrl}. Set KEYHEARTH_URL to theirs, or delete that folder and run: npm run treasury -- setup`;
  }
  return error.message;
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        as: { type: "string" },
        to: { type: "string" },
        amount: { type: "string" },
        yes: { type: "boolean", short: "y" },
        fingerprint: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

try {
  console.log(await main());
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${help}`);
    process.exitCode = 2;
  } else if (error instanceof Cancelled) {
    console.log(
      process.argv.includes("reject")
        ? "Not rejected. The proposal still waits."
        : "Not approved. The proposal still waits; end it with: reject",
    );
    process.exitCode = 1;
  } else if (error instanceof UserError || error instanceof KeyhearthError) {
    console.error(explain(error));
    process.exitCode = 1;
  } else {
    throw error;
  }
}
