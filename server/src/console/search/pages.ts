import { keyHint } from "../../keys/key-format.ts";
import { findCode } from "../../search/find-code.ts";
import { FOUND_KINDS } from "../../search/found.ts";
import { readTerm, TERM_MAX_CHARACTERS } from "../../search/read-term.ts";
import { searchEverything } from "../../search/search-everything.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { href } from "../../web/template/safe-url.ts";
import type { HasPage } from "../has-page.ts";
import { type ConsoleContext, type ConsoleDeps, type ConsoleFace, may, provedBy } from "../session.ts";
import { READS } from "./search-links.ts";
import { renderFoundCode, renderSearch } from "./search-page.ts";

const codeForm = defineForm({
  // What was typed may be worth money: no page says it again.
  code: {
    ...textField({ label: "Code", required: true, maxLength: TERM_MAX_CHARACTERS }),
    say: () => undefined,
  },
});

/** One box for everything. A role finds only what it may read. */
export function searchPages(face: ConsoleFace, deps: ConsoleDeps, hasPage: HasPage): void {
  face.visit({
    path: "/search",
    permission: "search.use",
    run: (ctx) => answerSearch(deps, hasPage, ctx),
  });
  face.action({
    path: "/search/code",
    permission: "search.codes",
    form: codeForm,
    does: "Look for the code among those that were sold or are in stock. The search is recorded.",
    async run({ code }, ctx) {
      const { codeDigestKey } = deps.secrets;
      return showOnce(
        renderFoundCode(await findCode({ ...deps, codeDigestKey }, code, provedBy(ctx)), hasPage, ctx),
      );
    },
    again: async (_state, ctx) => renderSearch({ term: undefined, found: [] }, hasPage, ctx),
  });
}

async function answerSearch(
  { db, secrets }: ConsoleDeps,
  hasPage: HasPage,
  ctx: ConsoleContext,
): Promise<ActionResult> {
  const term = readTerm(ctx.query.q ?? "");
  if (!term) return showOnce(renderSearch({ term, found: [] }, hasPage, ctx));
  const kinds = new Set(FOUND_KINDS.filter((kind) => may(ctx, READS[kind])));
  const found = await searchEverything({ db, pepper: secrets.pepper }, term, kinds);
  // A whole key is a secret: it leaves the address, and no page shows it.
  if (term.isKey) return redirect(href("/search", { q: found[0]?.id ?? keyHint(term.text) }));
  return showOnce(renderSearch({ term, found }, hasPage, ctx));
}
