import { encode } from "uqr";
import { type Html, html } from "../../web/template/html.ts";

/** Modules of light around the code; scanners need four. */
const BORDER = 4;

/** A text as a QR code: one SVG path, dark on light in every theme, because scanners expect that. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const path = data
    .flatMap((cells, y) => cells.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" width="220" height="220" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
