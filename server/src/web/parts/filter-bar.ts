import { attrs, type Html, html } from "../template/html.ts";

export type Filter =
  | {
      kind: "select";
      name: string;
      label: string;
      value: string;
      options: readonly (readonly [string, string])[];
    }
  | { kind: "text" | "date" | "search"; name: string; label: string; value: string; placeholder?: string };

export type FilterBarOptions = {
  action: string;
  filters: readonly Filter[];
  /** Parameters of the address that stay, such as `env`. */
  keep?: Readonly<Record<string, string | undefined>>;
  /** What the button says, where the form asks something instead of narrowing a list. */
  submit?: string;
};

/** Filters of a list as a form that is sent by GET: they live in the address, and a link shows what its sender saw. */
export function filterBar({ action, filters, keep = {}, submit = "Filter" }: FilterBarOptions): Html {
  const kept = Object.entries(keep).filter(([, value]) => value !== undefined && value !== "");
  const isFiltered = filters.some(({ value }) => value !== "");
  const clear = kept.length === 0 ? action : `${action}?${new URLSearchParams(kept as [string, string][])}`;
  return html`<form class="filters" method="get" action="${action}" role="search" aria-label="${submit === "Filter" ? "Filters" : submit}">${kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${filters.map(filterField)}<button class="btn plain small" type="submit">${submit}</button>${
    isFiltered ? html`<a class="link" href="${clear}">Clear</a>` : undefined
  }</form>`;
}

function filterField(filter: Filter): Html {
  const { name, label, value } = filter;
  const isOn = value !== "" ? "on" : "";
  if (filter.kind === "select")
    return html`<label class="filter ${isOn}"><span>${label}</span><select name="${name}"><option value="">Any</option>${filter.options.map(
      ([key, text]) => html`<option value="${key}"${attrs({ selected: key === value })}>${text}</option>`,
    )}</select></label>`;
  return html`<label class="filter ${isOn}"><span>${label}</span><input type="${filter.kind}" name="${name}" value="${value}"${attrs(
    { placeholder: filter.placeholder, maxlength: FILTER_MAX_CHARACTERS },
  )}></label>`;
}

/** No id, reference or key is longer. */
const FILTER_MAX_CHARACTERS = 255;
