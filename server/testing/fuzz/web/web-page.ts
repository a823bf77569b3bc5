/** A form as a browser reads it from a page. */
export type WebForm = {
  action: string;
  takesFiles: boolean;
  controls: readonly WebControl[];
};

/** `options` are the values of a select, of radio buttons or of check boxes. */
export type WebControl = { name: string; type: string; value: string; options: readonly string[] };

const FORM = /<form\b([^>]*)>(.*?)<\/form>/gs;
const CONTROL = /<input\b([^>]*)>|<textarea\b([^>]*)>(.*?)<\/textarea>|<select\b([^>]*)>(.*?)<\/select>/gs;
const OPTION = /<option\b([^>]*)>/g;
const LINK = /<a\b[^>]*? href="([^"]*)"/g;

/** The forms of a page that change something. */
export function formsOf(page: string): WebForm[] {
  return [...page.matchAll(FORM)].flatMap(([, attributes = "", inside = ""]) =>
    attributeOf(attributes, "method")?.toLowerCase() === "post"
      ? [
          {
            action: attributeOf(attributes, "action") ?? "",
            takesFiles: attributes.includes("multipart/form-data"),
            controls: controlsOf(inside),
          },
        ]
      : [],
  );
}

export const linksOf = (page: string): string[] =>
  [...page.matchAll(LINK)].map(([, target = ""]) => unescaped(target)).filter((to) => /^\/(?!\/)/.test(to));

function controlsOf(inside: string): WebControl[] {
  const found = new Map<string, WebControl>();
  for (const [, input, textarea, text = "", select, choices = ""] of inside.matchAll(CONTROL)) {
    const attributes = input ?? textarea ?? select ?? "";
    const name = attributeOf(attributes, "name");
    if (name === undefined) continue;
    const before = found.get(name);
    const type = select !== undefined ? "select" : (attributeOf(attributes, "type") ?? "text");
    const value = textarea === undefined ? (attributeOf(attributes, "value") ?? "") : unescaped(text);
    const options =
      select === undefined
        ? [...(before?.options ?? []), value]
        : [...choices.matchAll(OPTION)].map(([, option = ""]) => attributeOf(option, "value") ?? "");
    found.set(name, { name, type, value: before?.value ?? value, options });
  }
  return [...found.values()];
}

function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes);
  return match ? unescaped(match[1] ?? "") : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const unescaped = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? "")
    : text;
