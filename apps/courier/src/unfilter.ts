/**
 * PNG, 9.2: each row begins with the number of a filter, which says from which neighbours its bytes were predicted. Undoes
 * that in place, for the row that begins at `start` and has `bytes` bytes behind the number.
 */
export function unfilterRow(data: Uint8Array, start: number, bytes: number, bytesPerPixel: number) {
  const from = start + 1;
  const second = from + bytesPerPixel;
  const end = from + bytes;
  const above = from - bytes - 1;
  const up = above - from;
  const isFirst = start === 0;
  switch (data[start]) {
    case 0:
      return;
    case 1:
      for (let at = second; at < end; at += 1) {
        data[at] = (data[at] ?? 0) + (data[at - bytesPerPixel] ?? 0);
      }
      return;
    case 2:
      if (isFirst) return;
      for (let at = from; at < end; at += 1) data[at] = (data[at] ?? 0) + (data[at + up] ?? 0);
      return;
    case 3:
      for (let at = from; at < end; at += 1) {
        const left = at < second ? 0 : (data[at - bytesPerPixel] ?? 0);
        const above = isFirst ? 0 : (data[at + up] ?? 0);
        data[at] = (data[at] ?? 0) + ((left + above) >> 1);
      }
      return;
    case 4:
      for (let at = from; at < end; at += 1) {
        const left = at < second ? 0 : (data[at - bytesPerPixel] ?? 0);
        const above = isFirst ? 0 : (data[at + up] ?? 0);
        const corner = isFirst || at < second ? 0 : (data[at + up - bytesPerPixel] ?? 0);
        data[at] = (data[at] ?? 0) + paeth(left, above, corner);
      }
      return;
    default:
      throw new Error("the row has an unknown filter");
  }
}

function paeth(left: number, above: number, corner: number): number {
  const toLeft = Math.abs(above - corner);
  const toAbove = Math.abs(left - corner);
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
