import { once } from "node:events";
import { PassThrough } from "node:stream";
import { exportCatalog } from "../../catalog/files/export-catalog.ts";
import type { Db } from "../../db/database.ts";
import type { Download } from "../../web/pages/define-page.ts";

/** The catalog as a CSV file that can be imported again. It is sent while it is read. */
export function exportFile(db: Db): Download {
  const stream = new PassThrough({ encoding: "utf8" });
  exportCatalog(db, {
    format: "csv",
    async write(chunk) {
      if (stream.destroyed) throw new Error("the download was ended");
      if (!stream.write(chunk)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
    },
  }).then(
    () => stream.end(),
    (error: Error) => stream.destroy(error),
  );
  return { type: "text/csv; charset=utf-8", filename: "products.csv", body: stream };
}
