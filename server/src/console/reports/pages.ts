import { Problem } from "../../lib/problem.ts";
import { type ReportName, readReport } from "../../reports/read-report.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";
import { lostPages } from "./lost-pages.ts";
import { findReportName, readAsked, scopeOf } from "./read-scope.ts";
import { REPORTS, renderReport } from "./render-report.ts";
import { reportCsv } from "./report-csv.ts";

/** Sales, margin, refunds, fulfilment and what was lost, each as a page and as a file. */
export function reportPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const { db } = deps;
  lostPages(face, deps);
  const load = async (ctx: ConsoleContext) => {
    const asked = readAsked(ctx, nameOf(ctx));
    return { asked, report: await readReport(db, asked.name, scopeOf(ctx, asked)) };
  };
  for (const path of [REPORTS, `${REPORTS}/:name`])
    face.page({
      path,
      permission: "reports.read",
      load,
      render: ({ asked, report }, ctx) => renderReport(report, asked, ctx),
    });
  face.download({
    path: `${REPORTS}/:name/report.csv`,
    permission: "reports.read",
    load: async (ctx) => {
      const { asked, report } = await load(ctx);
      return reportCsv(report, asked);
    },
  });
}

function nameOf({ params }: ConsoleContext): ReportName {
  const name = params.name === undefined ? "sales" : findReportName(params.name);
  if (name === undefined) throw new Problem("not_found", "There is no report of this name.");
  return name;
}
