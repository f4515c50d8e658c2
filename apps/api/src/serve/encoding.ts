export type Encoding = "br" | "gzip";

/** Browsers send thirty characters. Node.js takes 16 KB, and thousands of names cost more than the page. */
const LONGEST = 500;

/** RFC 9110, 12.5.3. At equal weight the smaller result wins. */
export function chooseEncoding(acceptEncoding: string | null): Encoding | null {
  if (!acceptEncoding || acceptEncoding.length > LONGEST) return null;
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weights.set(name === "x-gzip" ? "gzip" : name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const [br, gz] = [weightOf("br"), weightOf("gzip")];
  const best = Math.max(br, gz);
  // A client that gives the plain form a higher weight by name gets it.
  if (best === 0 || best < (weights.get("identity") ?? 0)) return null;
  return br === best ? "br" : "gzip";
}
