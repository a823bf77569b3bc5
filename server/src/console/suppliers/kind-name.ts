/** How the makers write their names. A kind that is not here is written as its code. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ scrip: "Scrip", reloadly: "Reloadly", bamboo: "Bamboo", dtone: "DT One" },
};

/** "Reloadly" in "Add a Reloadly supplier". */
export const kindName = (kind: string): string => NAMES[kind] ?? kind;
