import type { JobParams } from "../../jobs/job-kind.ts";
import { selectField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { button } from "../../web/parts/button.ts";
import { type Html, html } from "../../web/template/html.ts";

/** The second button sends the extent. */
export const auditForm = defineForm({
  extent: selectField({ label: "Extent", choices: [{ value: "full", label: "Everything" }] }),
});

export const auditParams = ({ extent }: { extent: "full" | undefined }): JobParams =>
  extent === "full" ? { full: true } : {};

/** What can have changed since the last clean audit, or everything. */
export const auditButtons = (): Html =>
  html`${button("Run the audit")} ${button("Audit everything", { name: "extent", value: "full" })}`;
