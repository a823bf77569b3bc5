import { sayLeftOut } from "../../suppliers/sync/compare-catalog.ts";
import { proposeSync } from "../../suppliers/sync/sync-supplier.ts";
import type { JobKind } from "../job-kind.ts";
import { requiredText } from "./read-params.ts";

/** Reads the catalog of a supplier and proposes what to change. A person applies it. */
export const syncCatalogJob: JobKind = {
  title: "Comparison of a supplier's catalog",
  async run(deps, job) {
    await proposeSync(deps, requiredText(job.params, "supplierId"), {
      onRead: (offers) => job.advance(offers),
      finish: (tx, { items, unchanged, leftOut, oddCount }) => {
        const count = (change: string) => items.filter((item) => item.change === change).length;
        const counts = {
          proposedNew: count("new"),
          proposedGone: count("gone"),
          repriced: count("repriced"),
        };
        return job.succeed(tx, {
          ...counts,
          unchanged,
          left: sayLeftOut(leftOut) || "none",
          notTaken: oddCount,
        });
      },
    });
  },
};
