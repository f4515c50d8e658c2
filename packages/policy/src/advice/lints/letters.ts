import { quote } from "../../errors.ts";
import type { Comparison } from "./reads.ts";
import type { Finding, LintedClause } from "./subject.ts";

// Lints of texts with capitals, or without, that can never equal what they are compared with.

/** Texts in a case that can never equal what they are compared with. */
export function findCases({ inventory }: LintedClause): Finding[] {
  return inventory.comparisons.flatMap((comparison) => {
    return comparison.values.flatMap((value) => {
      const problem = value.kind === "string" ? caseProblem(comparison, value.value) : undefined;
      return problem ? [{ ...problem, clause: "condition", node: value }] : [];
    });
  });
}

function caseProblem(
  { path, isLowered, isPart, isAnyCase, isDynamic }: Comparison,
  text: string,
): Pick<Finding, "code" | "message"> | undefined {
  const hasUpper = /[A-Z]/.test(text);
  if (isLowered) {
    if (!hasUpper) return undefined;
    return {
      code: "address-case",
      message: `${quote(text)} has capitals, but \`CaseInsensitiveString\` has none on the other side: wrap it as well`,
    };
  }
  if (path === "wallet_account.address" && !isPart) {
    const stored = storedForm(text);
    if (!stored) return undefined;
    return {
      code: "account-case",
      message: `addresses of accounts compare exactly, and ${quote(text)} is not how they are stored: ${stored}`,
    };
  }
  if (!hasUpper || isAnyCase || !/^(0x)?[0-9a-fA-F]+$/.test(text)) return undefined;
  if (path === "eth.tx.data") {
    return {
      code: "address-case",
      message: `calldata is in lower case, and ${quote(text)} has capitals: write it in lower case`,
    };
  }
  // The declared types of arguments and messages say what is an address.
  const isTold = isDynamic && !path.startsWith("activity.params");
  if (isTold || !/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined;
  return {
    code: "address-case",
    message: `\`${path}\` compares exactly, and ${quote(text)} may be written with other capitals: wrap both sides in \`CaseInsensitiveString\``,
  };
}

/** What the address should look like, if no account has it in this form. */
function storedForm(text: string): string | undefined {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) {
    const letters = text.slice(2).replace(/[0-9]/g, "");
    const isMixed = /[a-z]/.test(letters) && /[A-Z]/.test(letters);
    // By chance a checksum has letters of one case, but not many.
    if (isMixed || letters.length < 8) return undefined;
    return "write it with the capitals of its checksum (EIP-55), or wrap both sides in `CaseInsensitiveString`";
  }
  if (/^0x[0-9a-fA-F]{64}$/.test(text) && /[A-F]/.test(text)) return "write it in lower case";
  if (/^(bc|tb|bcrt|cosmos|sei|sp)1[0-9a-z]{20,}$/i.test(text) && /[A-Z]/.test(text)) {
    return "write it in lower case";
  }
  if (/^G[A-Z2-7]{55}$/i.test(text) && /[a-z]/.test(text)) return "write it in capitals";
  return undefined;
}
