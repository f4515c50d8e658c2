/** The head of arrows, for `markerEnd` and `markerStart` of the lines of a drawing. */
export function ArrowHead({
  id,
  className,
  size = 8,
}: {
  id: string;
  className: string | undefined;
  size?: number;
}) {
  return (
    <defs>
      <marker
        id={id}
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth={size}
        markerHeight={size}
        orient="auto-start-reverse"
      >
        <path d="M0 0 8 4 0 8z" className={className} />
      </marker>
    </defs>
  );
}
