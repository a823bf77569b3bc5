import type { FastifyInstance } from "fastify";
import { translateRefusal } from "../access/translate-refusal.ts";
import { NO_SNIFF } from "../http/bare-app.ts";
import type { Metrics } from "../http/metrics.ts";
import { observeRequests } from "../http/observe-requests.ts";
import { answerWithProblems, type ProblemDeps } from "../http/send-problem.ts";
import { createFastify } from "../http/server/create-fastify.ts";
import { closeIfTooLarge } from "../http/unread-body.ts";
import { createUnroutable, findBadHost } from "../http/unroutable.ts";
import { serveIcons } from "../web/docs/icons.ts";
import type { RegisteredPage } from "../web/pages/define-page.ts";
import { type AddSection, openConsole } from "./open-console.ts";
import type { ConsoleDeps } from "./session.ts";

export type ConsoleApp = FastifyInstance & {
  /** Every page and form of the console. */
  consolePages: readonly RegisteredPage[];
};

/** The console as an app, for its own listener. It has nothing of the API and of the dashboard. */
export function buildConsole(
  deps: ConsoleDeps & { metrics: Pick<Metrics, "requestLatencies"> },
  sections?: readonly AddSection[],
): ConsoleApp {
  const problems: ProblemDeps = { baseUrl: deps.baseUrl, translate: translateRefusal };
  const unroutable = createUnroutable(problems);
  const app = createFastify(deps, problems, unroutable);
  unroutable.watch(app.server);
  observeRequests(app, deps.metrics.requestLatencies, deps.log);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header(...NO_SNIFF);
    if (request.method === "GET" || request.method === "HEAD") closeIfTooLarge(request, reply);
    done(findBadHost(request));
  });
  answerWithProblems(app, problems);
  serveIcons(app);
  const consolePages = openConsole(app, deps, sections);
  return Object.assign(app, { consolePages });
}
