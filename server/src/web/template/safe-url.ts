/** What a link becomes when its address must not be followed. */
const NOWHERE = "#";

/** Browsers drop some of these from an address and take others for a slash, so none of them may be there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for.
const TRICKY = /[\u0000-\u0020\u007f\\]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const ALLOWED_SCHEME = /^(https:\/\/|mailto:)/i;

/** The address, when it is relative to our own host, https or mailto; `#` for everything else. */
export function safeUrl(url: string): string {
  if (TRICKY.test(url) || url.startsWith("//")) return NOWHERE;
  return !SCHEME.test(url) || ALLOWED_SCHEME.test(url) ? url : NOWHERE;
}

/** Whether an address is a path on our own host, to which a person may be sent back. */
export const isLocalPath = (url: string): boolean =>
  url.startsWith("/") && !url.startsWith("//") && !TRICKY.test(url);

/** A path with a query. Parameters that are undefined or empty are left out; a list gives its name several times. */
export function href(
  path: string,
  query: Readonly<Record<string, string | number | undefined | readonly string[]>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const list = typeof value === "object" ? value : [value];
    for (const one of list) if (one !== undefined && one !== "") parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}`;
}
