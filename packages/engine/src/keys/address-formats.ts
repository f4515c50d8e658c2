import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import type { Curve } from "@keyhearth/crypto/keys/keys";
import { checkEach, invalid } from "../errors.ts";
import type { AddressFormat } from "../fields/schemas.ts";

export function addressOf(format: AddressFormat, publicKey: Uint8Array, curve: Curve): string {
  const { encode }: AddressEncoding = addressEncodings[format];
  return encode(publicKey, curve);
}

/** A format may appear only once, and must fit the curve. */
export function checkAddressFormats(formats: AddressFormat[], curve: Curve, field: string) {
  checkEach(formats, (format, position) => {
    const at = `${field}[${position}]`;
    if (formats.indexOf(format) < position) {
      throw invalid(at, `invalid address format: \`${format}\` appears twice in the list`);
    }
    checkFormat(format, curve, at);
  });
}

/** Refuses a format that keys of the curve do not have. */
export function checkFormat(format: AddressFormat, curve: Curve, field: string) {
  const { curves }: AddressEncoding = addressEncodings[format];
  if (curves.includes(curve)) return;
  throw invalid(
    field,
    `invalid curve: \`${format}\` needs ${curves.join(" or ")}, got \`${curve}\``,
  );
}
