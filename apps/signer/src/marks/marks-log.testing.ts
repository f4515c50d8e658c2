/** The check of a record is FNV-1a over the bytes before it. */
export function oldRecord(
  kind: number,
  organizationId: string,
  number: number,
  digest: string,
): Buffer {
  const record = Buffer.alloc(61);
  record.writeUInt8(kind, 0);
  record.write(organizationId.replaceAll("-", ""), 1, "hex");
  record.writeBigUInt64BE(BigInt(number), 17);
  record.write(digest, 25, "hex");
  let hash = 0x811c9dc5;
  for (const byte of record.subarray(0, 57)) hash = Math.imul(hash ^ byte, 0x01000193);
  record.writeUInt32BE(hash >>> 0, 57);
  return record;
}
