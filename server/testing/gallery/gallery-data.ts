import type { Frame } from "../../src/web/layout/frame.ts";
import { href } from "../../src/web/template/safe-url.ts";

/** The time of all gallery pages, so that pictures of them can be compared. */
export const NOW = new Date("2026-11-15T14:22:10.000Z");
export const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

/** Text that others wrote: it must appear as it is, and do nothing. */
export const HOSTILE = `<img src=x onerror=alert(1)>"'&amp;</td><script>alert(2)</script>\u202etxt.exe`;
export const LONG_WORD = "Unbreakable".repeat(30);

export type GallerySession = { formToken: string; email: string };

const link = (path: string, env: string | undefined) => href(`/gallery${path}`, { env });

export function galleryFrame(session: GallerySession, env: string | undefined, url: string): Frame {
  const path = url.split("?")[0] ?? "";
  return {
    owner: "Northwind Games",
    home: link("", env),
    nav: [
      {
        links: [
          { label: "Home", href: link("", env), key: "h" },
          { label: "Parts", href: link("/parts", env), key: "p" },
          { label: "Orders", href: link("/orders", env), key: "o" },
          { label: "Empty", href: link("/empty", env), key: "e" },
        ],
      },
      {
        title: "Developers",
        links: [
          { label: "API keys", href: link("/keys", env), key: "k" },
          { label: "Webhooks", href: link("/webhooks", env), key: "w", count: 1 },
          { label: "Requests", href: link("/requests", env), key: "r" },
          { label: "Forms", href: link("/form", env), key: "f" },
        ],
      },
      {
        title: "Organisation",
        links: [
          { label: "Team", href: link("/team", env), count: 128 },
          { label: "Hostile text", href: link("/hostile", env) },
          { label: "Unknown outcomes", href: link("/unknown", env), key: "u", count: 3 },
        ],
      },
    ],
    search: {
      action: "/gallery/orders",
      placeholder: "Search by id, reference or key",
      keep: env === undefined ? {} : { env },
    },
    environment: {
      current: env === "test" ? "test" : "live",
      liveHref: path,
      testHref: href(path, { env: "test" }),
    },
    person: {
      email: session.email,
      role: "Owner of Northwind Games",
      links: [
        { label: "Security", href: link("/form", env) },
        { label: "Settings", href: link("/form", env) },
      ],
      signOutAction: "/gallery/sign-out",
    },
  };
}

export type GalleryOrder = {
  id: string;
  reference: string;
  product: string;
  status: string;
  totalMinor: bigint;
  currency: string;
  at: Date;
};

const STATUSES = ["completed", "completed", "processing", "completed", "refunded", "failed", "pending"];
const PRODUCTS = ["Nimbus 25 USD", "Arcadia 325 Crystals", "Halcyon 35 USD", "Nimbus 100 USD × 12"];

/** The same orders each time. */
export const galleryOrders = (count: number): GalleryOrder[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `ord_01m7fg${(index * 7919 + 100_003).toString(32)}t45e00a4dvyq8ranm${String(index % 100).padStart(2, "0")}`,
    reference: `invoice-${20_931 - index}`,
    product: PRODUCTS[index % PRODUCTS.length] ?? "",
    status: STATUSES[index % STATUSES.length] ?? "",
    totalMinor: BigInt((index * 15_485_863 + 460) % 9_000_000),
    currency: index % 9 === 8 ? "JPY" : index % 7 === 6 ? "KWD" : "USD",
    at: ago(index * index * 61 + 3),
  }));
