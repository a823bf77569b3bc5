import { getCatalogEntry, searchCatalog } from "../../catalog/search-catalog.ts";
import { PAGE_LIMIT_DEFAULT } from "../../http/page.ts";
import type { Form, FormState } from "../../web/form/define-form.ts";
import type { Field, FieldRead } from "../../web/form/field.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { NOTHING } from "../../web/template/html.ts";
import { BASE, type DashboardContext, type DashboardDeps, type DashboardFace, tenantOf } from "../session.ts";
import { catalogCsv } from "./catalog-csv.ts";
import { CATALOG_PATH, readCatalogQuery, renderCatalog } from "./catalog-page.ts";
import { renderProduct } from "./product-page.ts";
import { judgeTry, tryForm } from "./try-form.ts";
import { tryProduct } from "./try-product.ts";

export function catalogPages(face: DashboardFace, deps: DashboardDeps): void {
  const loadProduct = (ctx: DashboardContext) => getCatalogEntry(deps.db, tenantOf(ctx), ctx.params.id ?? "");
  face.page({
    path: CATALOG_PATH,
    permission: "catalog.read",
    async load(ctx) {
      const query = readCatalogQuery(ctx);
      const afterId = ctx.query.cursor?.replaceAll("\0", "");
      const page = await searchCatalog(deps, tenantOf(ctx), query, { afterId, limit: PAGE_LIMIT_DEFAULT });
      return { query, page };
    },
    render: renderCatalog,
  });
  face.download({
    path: `${CATALOG_PATH}.csv`,
    permission: "catalog.read",
    load: async (ctx) => catalogCsv(deps, ctx),
  });
  // A refused form is answered at its address: what leads back to it shows the product again.
  for (const path of ["", "/try"])
    face.page({
      path: `${CATALOG_PATH}/:id${path}`,
      permission: "catalog.read",
      load: loadProduct,
      render: (product, ctx) =>
        renderProduct(product, tryForm(product).start({ quantity: String(product.minQuantity) }), ctx),
    });
  face.action({
    path: `${CATALOG_PATH}/:id/try`,
    permission: "orders.test",
    form: anyFields,
    async run({ typed }, ctx) {
      const { orderId } = await tryProduct(deps, await loadProduct(ctx), { typed, errors: {} }, ctx);
      return redirect(`${BASE}/orders/${orderId}?env=test`, "Test order placed.");
    },
    async again(state, ctx) {
      const product = await loadProduct(ctx);
      return renderProduct(product, judgeTry(product, state), ctx);
    },
  });
}

type Typed = FormState["typed"];

/** What each field means depends on the product, so everything is read as it was typed and judged once the product is known. */
const anyFields: Form<{ typed: Field<Typed> }> = {
  fields: {
    typed: { label: "Fields", read: (): FieldRead<Typed> => ({ value: {} }), render: () => NOTHING },
  },
  read(body) {
    const typed = Object.fromEntries(body);
    return { values: { typed }, state: { typed, errors: {} } };
  },
  start: () => ({ typed: {}, errors: {} }),
  render: () => NOTHING,
};
