import type { IncomingHttpHeaders } from "node:http";

/** The origin that browsers see. Behind a proxy that ends TLS only the public URL knows it; without one the Host does. */
export function pageOrigin(publicUrl: string | undefined, host: string | undefined): string | undefined {
  if (publicUrl !== undefined) return URL.canParse(publicUrl) ? new URL(publicUrl).origin : undefined;
  const url = `http://${host ?? ""}`;
  return host && URL.canParse(url) ? new URL(url).origin : undefined;
}

/**
 * Whether a request that changes something came from a page of our own. Browsers send both headers, older ones Origin alone.
 * What says neither is no browser's form and is refused; what says one of them must say it right.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string | undefined): boolean {
  const { origin: given, "sec-fetch-site": site } = headers;
  if (given === undefined && site === undefined) return false;
  if (given !== undefined && given !== origin) return false;
  return site === undefined || site === "same-origin";
}
