// A sun of a circle and eight lines. The theme's own has so many curves that each page pays for it.
import type { Props } from "@theme/Icon/LightMode";

export default function IconLightMode(props: Props) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the button around it has the name, and hides the icons
    <svg viewBox="0 0 24 24" width={24} height={24} {...props}>
      <path
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        d="M8 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0M12 3v1m0 16v1M3 12h1m16 0h1M5.6 5.6l.8.8m11.2 11.2.8.8m0-12.8-.8.8M6.4 17.6l-.8.8"
      />
    </svg>
  );
}
