import { isLocalPath } from "../web/template/safe-url.ts";
import { BASE } from "./session.ts";

/** Where a person came from, when that is a page of the dashboard that can be shown again; otherwise the home page. */
export function localBack(back: string | undefined): string {
  const path = back?.split(/[?#]/, 1)[0] ?? "";
  const isOurs = path === BASE || path.startsWith(`${BASE}/`);
  if (back === undefined || !isOurs || !isLocalPath(back)) return BASE;
  return NOT_BACK.has(path.slice(BASE.length)) ? BASE : back;
}

/** Pages that lead somewhere themselves. */
const NOT_BACK: ReadonlySet<string> = new Set([
  ...["/sign-in", "/sign-out", "/accept", "/reset", "/enter", "/confirm", "/add-factor"],
]);
