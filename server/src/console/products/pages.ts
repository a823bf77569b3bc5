import { editProduct, toEdit } from "../../catalog/edit-product.ts";
import { setHidden } from "../../catalog/hide-product.ts";
import { setListing } from "../../catalog/prices/set-listing.ts";
import { findCatalogProduct } from "../../catalog/product-queries.ts";
import { notFound } from "../../lib/problem.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { enableRoutePages } from "../suppliers/route-state.ts";
import { editForm, readEdit, readSeen, renderEdit, startEdit } from "./edit-page.ts";
import { exportFile } from "./export-file.ts";
import { importPages } from "./import-page.ts";
import { listPage } from "./list-page.ts";
import { loadProduct, productPath } from "./load-product.ts";
import { listingForm, renderProduct } from "./product-page.ts";
import { routePages } from "./route-pages.ts";

const idOf = (ctx: ConsoleContext): string => ctx.params.id ?? "";

/** What is sold, whether it can be bought, and how that goes. */
export function productPages(face: ConsoleFace, deps: ConsoleDeps): void {
  listPage(face, deps);
  face.download({
    path: "/products.csv",
    permission: "products.read",
    load: async () => exportFile(deps.db),
  });
  importPages(face, deps);
  const load = (ctx: ConsoleContext) => loadProduct(deps, idOf(ctx), ctx.now);
  face.page({
    path: "/products/:id",
    permission: "products.read",
    load,
    render: (data, ctx) => renderProduct(data, ctx),
  });
  editPages(face, deps);
  routePages(face, deps);
  enableRoutePages(face, deps, "products", async (ctx, error) => renderProduct(await load(ctx), ctx, error));
  face.action({
    path: "/products/:id/hidden",
    permission: "products.manage",
    form: defineForm({ hidden: radioField({ label: "Hidden", choices: YES_NO }) }),
    run: async ({ hidden }, ctx) => {
      await sayRefusal(setHidden(deps.db, deps.clock, idOf(ctx), hidden === "yes", byOf(ctx)));
      return redirect(
        productPath(idOf(ctx)),
        hidden === "yes" ? "No reseller sees the product any more." : "Resellers see the product again.",
      );
    },
    again: async (state, ctx) => renderProduct(await load(ctx), ctx, state.formError),
  });
  face.action({
    path: "/products/:id/listing",
    permission: "products.manage",
    form: listingForm,
    run: async ({ resellerId, listed }, ctx) => {
      const input = { resellerId, productId: idOf(ctx), listed: listed === "yes" };
      await sayRefusal(getReseller(deps.db, resellerId));
      await sayRefusal(setListing(deps.db, input, { clock: deps.clock, by: byOf(ctx) }));
      return redirect(
        productPath(idOf(ctx)),
        input.listed ? "It is listed for them." : "It is unlisted for them.",
      );
    },
    again: async (state, ctx) => renderProduct(await load(ctx), ctx, state.formError, state),
  });
}

const YES_NO = [
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
] as const;

function editPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const load = async (ctx: ConsoleContext) => {
    const product = await findCatalogProduct(deps.db, idOf(ctx));
    if (!product) throw notFound();
    return product;
  };
  face.page({
    path: "/products/:id/edit",
    permission: "products.manage",
    load,
    render: (product, ctx) => renderEdit(product, startEdit(product), ctx),
  });
  face.action({
    path: "/products/:id/edit",
    permission: "products.manage",
    form: editForm,
    run: async (values, ctx) => {
      await sayRefusal(
        editProduct(deps, idOf(ctx), toEdit(readEdit(values)), readSeen(values.seen), byOf(ctx)),
      );
      return redirect(productPath(idOf(ctx)), "The product was changed.");
    },
    again: async (state, ctx) => renderEdit(await load(ctx), state, ctx),
  });
}
