import type { StaffPermission } from "../../accounts/permissions.ts";
import { csvLine } from "../../lib/csv/csv-line.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { linkButton } from "../../web/parts/button.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import type { ConsoleFace } from "../session.ts";

/** A column of a file that people import. */
export type ImportColumn = {
  name: string;
  isRequired?: boolean;
  /** What to write, in a sentence. */
  what: string;
  example: string;
};

/** What a file has, and a template of it. */
export const columnsPanel = (columns: readonly ImportColumn[], importPath: string): Html =>
  tablePanel<ImportColumn>({
    title: "Columns",
    aside: linkButton("Download a template", `${importPath}/template`, { download: true }),
    caption: "Columns",
    rows: columns,
    columns: [
      { head: "Column", cell: ({ name }) => html`<code>${name}</code>` },
      { head: "Needed", cell: ({ isRequired }) => (isRequired ? "yes" : "") },
      { head: "What to write", wraps: true, cell: ({ what }) => what },
      { head: "Example", wraps: true, cell: ({ example }) => example },
    ],
    empty: html``,
  });

/** The file to fill in: the names of the columns, and one line that shows them. */
export function templatePage(
  face: ConsoleFace,
  {
    path,
    permission,
    columns,
  }: { path: string; permission: StaffPermission; columns: readonly ImportColumn[] },
): void {
  const name = path.slice(1).replaceAll("/", "-");
  face.download({
    path: `${path}/template`,
    permission,
    load: async (): Promise<Download> => ({
      type: "text/csv; charset=utf-8",
      filename: `${name}-template.csv`,
      body: [columns.map((one) => one.name), columns.map((one) => one.example)]
        .map((cells) => `${csvLine(cells)}\r\n`)
        .join(""),
    }),
  });
}
