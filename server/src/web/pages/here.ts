import type { Tenant } from "../../http/caller.ts";
import { href } from "../template/safe-url.ts";
import type { PageContext } from "./define-page.ts";

type Asked = Pick<PageContext<unknown>, "query">;

/** Live or test, from the address: a link opens what its sender saw. */
export const environmentOf = (ctx: Asked): Tenant["environment"] =>
  ctx.query.env === "test" ? "test" : "live";

/** A path of ours that stays in the environment of this page. */
export const here = (ctx: Asked, path: string, query: Parameters<typeof href>[1] = {}): string =>
  href(path, { ...query, ...(environmentOf(ctx) === "test" ? { env: "test" } : {}) });
