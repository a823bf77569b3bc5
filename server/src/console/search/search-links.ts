import type { StaffPermission } from "../../accounts/permissions.ts";
import type { Found, FoundKind } from "../../search/found.ts";
import { href } from "../../web/template/safe-url.ts";

/** What a role must be allowed to read to find a kind. */
export const READS: Readonly<Record<FoundKind, StaffPermission>> = {
  order: "orders.read",
  unit: "orders.read",
  purchase: "orders.read",
  code: "orders.read",
  entry: "wallets.read",
  deposit: "wallets.read",
  reseller: "resellers.read",
  user: "resellers.read",
  key: "resellers.read",
  endpoint: "resellers.read",
  event: "resellers.read",
  delivery: "resellers.read",
  request: "resellers.read",
  product: "products.read",
  supplier: "suppliers.read",
  staff: "staff.read",
  activity: "activity.read",
  job: "jobs.read",
  alert: "alerts.read",
};

/** The page that shows what was found, and the path as it is registered. What has no page is on that of its order or reseller. */
export function pageOf(found: Found): { pattern: string; to: string } | undefined {
  const { kind, id, orderId, resellerId } = found;
  if (kind === "product") return { pattern: "/products/:id", to: `/products/${encodeURIComponent(id)}` };
  if (kind === "supplier") return { pattern: "/suppliers/:id", to: `/suppliers/${id}` };
  if (kind === "staff") return { pattern: "/staff/:id", to: `/staff/${id}` };
  if (kind === "job") return { pattern: "/jobs/:id", to: `/jobs/${id}` };
  if (kind === "deposit") return { pattern: "/deposits/:id", to: `/deposits/${id}` };
  if (kind === "alert") return { pattern: "/alerts", to: "/alerts" };
  if (kind === "activity") return undefined;
  if (orderId !== null) return { pattern: "/orders/:id", to: orderHref(found, orderId) };
  if (resellerId !== null) return { pattern: "/resellers/:id", to: resellerHref(found, resellerId) };
  return undefined;
}

const orderHref = ({ environment }: Found, orderId: string): string =>
  href(`/orders/${orderId}`, environment === "test" ? { env: "test" } : {});

const resellerHref = ({ environment }: Found, resellerId: string): string =>
  href(`/resellers/${resellerId}`, environment === "test" ? { env: "test" } : {});
