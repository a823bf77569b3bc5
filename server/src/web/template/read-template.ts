/** Where a value of a template stands. */
export type Hole =
  | { kind: "text" }
  | { kind: "attributes" }
  /** In the value of that attribute, at its beginning or after other text. */
  | { kind: "value"; attribute: string; isFirst: boolean };

type State = {
  place: "text" | "tag" | "value" | "comment";
  quote: string;
  attribute: string;
  /** Whether nothing stands before in the value. */
  isFirst: boolean;
  /** Inside these elements nothing can be escaped. */
  rawElement: string | undefined;
};

const known = new WeakMap<TemplateStringsArray, readonly Hole[]>();

/** Reads a template once. It is refused when it is not whole by itself, or where a value could not be made safe. */
export function readTemplate(strings: TemplateStringsArray): readonly Hole[] {
  const found = known.get(strings);
  if (found) return found;
  const holes: Hole[] = [];
  const state: State = { place: "text", quote: "", attribute: "", isFirst: true, rawElement: undefined };
  strings.forEach((text, index) => {
    readText(state, text, strings);
    if (index < strings.length - 1) holes.push(holeAt(state, strings));
  });
  if (state.place !== "text" || state.rawElement !== undefined)
    throw refused("a template must end between tags", strings);
  known.set(strings, holes);
  return holes;
}

function holeAt(state: State, strings: TemplateStringsArray): Hole {
  if (state.place === "text" && state.rawElement !== undefined)
    throw refused(`no value may stand in <${state.rawElement}>`, strings);
  if (state.place === "comment") throw refused("no value may stand in a comment", strings);
  if (state.place === "text") return { kind: "text" };
  if (state.place === "tag") {
    if (state.attribute !== "") throw refused("the value of an attribute must be quoted", strings);
    return { kind: "attributes" };
  }
  const hole: Hole = { kind: "value", attribute: state.attribute, isFirst: state.isFirst };
  state.isFirst = false;
  return hole;
}

function readText(state: State, text: string, strings: TemplateStringsArray): void {
  let at = 0;
  while (at < text.length) {
    if (state.place === "text") at = readBetweenTags(state, text, at);
    else if (state.place === "comment") at = readComment(state, text, at);
    else if (state.place === "tag") at = readTag(state, text, at, strings);
    else at = readValue(state, text, at);
  }
}

function readBetweenTags(state: State, text: string, at: number): number {
  const open = text.indexOf("<", at);
  if (open < 0) return text.length;
  if (state.rawElement !== undefined) {
    const close = text.indexOf(`</${state.rawElement}`, open);
    if (close < 0) return text.length;
    state.rawElement = undefined;
    state.place = "tag";
    return close + 2;
  }
  if (text.startsWith("<!--", open)) {
    state.place = "comment";
    return open + 4;
  }
  state.place = "tag";
  state.attribute = "";
  const name = /^<(script|style)\b/i.exec(text.slice(open, open + 8))?.[1];
  if (name !== undefined) state.rawElement = name.toLowerCase();
  return open + 1;
}

function readComment(state: State, text: string, at: number): number {
  const end = text.indexOf("-->", at);
  if (end < 0) return text.length;
  state.place = "text";
  return end + 3;
}

/** Up to the end of the tag, or to the quote that opens a value. */
function readTag(state: State, text: string, at: number, strings: TemplateStringsArray): number {
  const rest = text.slice(at);
  const [all = "", name = "", opening = ""] = /^([^\s"'<>/=]+)\s*(=\s*["']?)?/.exec(rest) ?? [];
  if (all !== "") {
    if (/^(on|up-on-)/i.test(name) && opening !== "") throw refused(`${name} is not allowed`, strings);
    if (name.toLowerCase() === "style" && opening !== "") throw refused("style is not allowed", strings);
    const quote = opening.slice(-1);
    if (quote === '"' || quote === "'") {
      state.place = "value";
      state.quote = quote;
      state.isFirst = true;
    }
    // An unquoted value of a template's own text is harmless; one with a value in it is refused by holeAt.
    state.attribute = opening === "" ? "" : name.toLowerCase();
    if (opening !== "" && state.place === "tag" && all.length < rest.length) state.attribute = "";
    return at + all.length;
  }
  if (rest.startsWith(">")) state.place = "text";
  return at + 1;
}

function readValue(state: State, text: string, at: number): number {
  const end = text.indexOf(state.quote, at);
  if (end < 0) {
    if (at < text.length) state.isFirst = false;
    return text.length;
  }
  state.place = "tag";
  state.attribute = "";
  return end + 1;
}

const refused = (why: string, strings: TemplateStringsArray): Error =>
  new Error(`${why}: ${strings.join("…").trim().slice(0, 200)}`);
