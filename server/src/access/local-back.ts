import type { PageContext } from "../web/pages/define-page.ts";
import { isLocalPath } from "../web/template/safe-url.ts";
import { homeOf } from "./site.ts";

/** Where a person came from, when that is a page of the face that can be shown again; otherwise the home page. */
export function localBack(ctx: Pick<PageContext<unknown>, "base">, back: string | undefined): string {
  const path = back?.split(/[?#]/, 1)[0] ?? "";
  const isOurs = path === homeOf(ctx) || path.startsWith(`${ctx.base}/`);
  if (back === undefined || !isOurs || !isLocalPath(back)) return homeOf(ctx);
  return NOT_BACK.has(path.slice(ctx.base.length)) ? homeOf(ctx) : back;
}

/** Pages that lead somewhere themselves. */
const NOT_BACK: ReadonlySet<string> = new Set([
  ...["/sign-in", "/sign-out", "/accept", "/reset", "/enter", "/confirm", "/add-factor"],
]);
