import { useEffect, useState } from "react";

type Code = { size: number; path: string };

/** A QR code of a text, such as an address, dark on white in every theme: cameras expect that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<Code>();
  useEffect(() => {
    let isGone = false;
    void import("lean-qr").then(({ generate }) => {
      const { size, get } = generate(text);
      const rows = Array.from({ length: size }, (_, y) => y);
      const path = rows
        .flatMap((y) => rows.map((x) => (get(x, y) ? `M${x} ${y}h1v1h-1z` : "")))
        .join("");
      if (!isGone) setCode({ size, path });
    });
    return () => {
      isGone = true;
    };
  }, [text]);
  const size = code?.size ?? 29;
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`-4 -4 ${size + 8} ${size + 8}`}
      shapeRendering="crispEdges"
    >
      <rect x={-4} y={-4} width={size + 8} height={size + 8} fill="#ffffff" />
      {code && <path d={code.path} fill="#000000" />}
    </svg>
  );
}
