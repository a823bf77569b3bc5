import type { FastifyInstance } from "fastify";
import { once } from "../../lib/lazily.ts";
import { publicFile, sendPublicFile } from "./public-file.ts";

const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** The icon of every page. Browsers also request `/favicon.ico` for JSON responses. */
export function serveIcons(app: FastifyInstance): void {
  const svg = publicFile(Buffer.from(SVG), "image/svg+xml; charset=utf-8", MAX_AGE_SECONDS);
  app.get("/favicon.svg", (request, reply) => sendPublicFile(request, reply, svg));
  app.get("/favicon.ico", (request, reply) => sendPublicFile(request, reply, openIco()));
}

/** Drawn for the first who asks: that takes as long as to build a good part of the app. */
const openIco = once(() => publicFile(drawIco(), "image/x-icon", MAX_AGE_SECONDS));

/** For the head of every page. */
export const ICON_LINKS =
  '<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="/favicon.svg" type="image/svg+xml">';

/** A ticket: notched on both sides, with a tear line. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path fill="#0a66c2" d="M2 7h28v6a3 3 0 0 0 0 6v6H2v-6a3 3 0 0 0 0-6z"/>
<path stroke="#fff" stroke-width="2" d="M20 9v3M20 14.5v3M20 20v3"/>
</svg>
`;

type Colour = readonly [red: number, green: number, blue: number];

const BLUE: Colour = [0x0a, 0x66, 0xc2];
const WHITE: Colour = [0xff, 0xff, 0xff];
const CANVAS = 32;
const TEARS: readonly (readonly [from: number, to: number])[] = [
  [9, 12],
  [14.5, 17.5],
  [20, 23],
];

/** The color of the ticket at a point of its 32 × 32 canvas, or undefined outside it. */
function colourAt(x: number, y: number): Colour | undefined {
  const isNotch = [2, 30].some((centre) => Math.hypot(x - centre, y - 16) < 3);
  if (x < 2 || x > 30 || y < 7 || y > 25 || isNotch) return undefined;
  return Math.abs(x - 20) < 1 && TEARS.some(([from, to]) => y > from && y < to) ? WHITE : BLUE;
}

const ICO_SIZES = [16, 32] as const;
const DIRECTORY_BYTES = 6;
const ENTRY_BYTES = 16;
const BITMAP_HEADER_BYTES = 40;

/** A directory of bitmaps with 8-bit transparency, for clients that do not show SVG. */
function drawIco(): Buffer {
  const images = ICO_SIZES.map(drawBitmap);
  const directory = Buffer.alloc(DIRECTORY_BYTES + ENTRY_BYTES * images.length);
  directory.writeUInt16LE(1, 2);
  directory.writeUInt16LE(images.length, 4);
  let offset = directory.length;
  images.forEach((image, index) => {
    const entry = DIRECTORY_BYTES + ENTRY_BYTES * index;
    directory.writeUInt8(ICO_SIZES[index] ?? 0, entry);
    directory.writeUInt8(ICO_SIZES[index] ?? 0, entry + 1);
    directory.writeUInt16LE(1, entry + 4);
    directory.writeUInt16LE(32, entry + 6);
    directory.writeUInt32LE(image.length, entry + 8);
    directory.writeUInt32LE(offset, entry + 12);
    offset += image.length;
  });
  return Buffer.concat([directory, ...images]);
}

/** The pixels from the bottom row up, then a 1-bit mask that readers of 32-bit icons ignore. */
function drawBitmap(size: number): Buffer {
  const maskBytes = (Math.ceil(size / 32) * 32 * size) / 8;
  const image = Buffer.alloc(BITMAP_HEADER_BYTES + size * size * 4 + maskBytes);
  image.writeUInt32LE(BITMAP_HEADER_BYTES, 0);
  image.writeInt32LE(size, 4);
  // Pixels and mask count as one picture of twice the height.
  image.writeInt32LE(size * 2, 8);
  image.writeUInt16LE(1, 12);
  image.writeUInt16LE(32, 14);
  for (let pixel = 0; pixel < size * size; pixel++) {
    const colour = pixelColour(pixel % size, size - 1 - Math.floor(pixel / size), CANVAS / size);
    image.writeUInt32LE(colour, BITMAP_HEADER_BYTES + pixel * 4);
  }
  return image;
}

const SAMPLES = [0.125, 0.375, 0.625, 0.875] as const;

/** The average of 16 points of a pixel, which smooths the edges: alpha, red, green, blue. */
function pixelColour(column: number, row: number, scale: number): number {
  const points = SAMPLES.flatMap((dx) => SAMPLES.map((dy) => [column + dx, row + dy] as const));
  const colours = points
    .map(([x, y]) => colourAt(x * scale, y * scale))
    .filter((colour) => colour !== undefined);
  const mean = (part: 0 | 1 | 2): number =>
    Math.round(colours.reduce((sum, colour) => sum + colour[part], 0) / Math.max(1, colours.length));
  const alpha = Math.round((255 * colours.length) / points.length);
  return alpha * 2 ** 24 + mean(0) * 2 ** 16 + mean(1) * 2 ** 8 + mean(2);
}
