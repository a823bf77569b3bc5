import { emptyState } from "../../web/parts/notice.ts";
import type { ConsoleDeps, ConsoleFace } from "../session.ts";

/** What needs a person now. */
export function overviewPages(face: ConsoleFace, _deps: ConsoleDeps): void {
  face.page({
    path: "/",
    permission: "overview.read",
    load: async () => undefined,
    render: () => ({
      title: "Overview",
      body: emptyState("Nothing needs you", "Choose a section at the side."),
    }),
  });
}
