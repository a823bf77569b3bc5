import type { FastifyReply, FastifyRequest } from "fastify";
import { invalidParameter } from "../../http/query.ts";
import { isTheme, THEME_COOKIE, THEME_MAX_AGE_SECONDS } from "../layout/theme.ts";
import { serialiseCookie } from "../security/cookies.ts";
import { isLocalPath } from "../template/safe-url.ts";
import { bodyOf, isSecure } from "./page-state.ts";

/** Keeps the choice of colours in a cookie and goes back to where it was made. It needs no session. */
export const themeHandler =
  (options: { base: string; publicUrl: () => string | undefined }) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [theme] = bodyOf(request).get("theme") ?? [];
    const [back = ""] = bodyOf(request).get("back") ?? [];
    if (!isTheme(theme)) throw invalidParameter("theme", "Choose system, light or dark.");
    reply.header(
      "set-cookie",
      serialiseCookie(THEME_COOKIE, theme, {
        isSecure: isSecure(options),
        maxAgeSeconds: THEME_MAX_AGE_SECONDS,
      }),
    );
    return reply.redirect(isLocalPath(back) ? back : options.base || "/", 303);
  };
