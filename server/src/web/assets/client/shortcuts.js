const SEQUENCE_MS = 1_500;

/** `/` searches, `?` lists the keys, `g` and a letter go to a section. Never while someone types. */
export function startShortcuts() {
  let goUntil = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const { key } = event;
    if (Date.now() < goUntil) {
      goUntil = 0;
      const link = [...document.querySelectorAll("#sections a[data-key]")].find(
        (one) => one.dataset.key === key,
      );
      if (link) {
        event.preventDefault();
        link.click();
      }
    } else if (key === "g") goUntil = Date.now() + SEQUENCE_MS;
    else if (key === "/") focusSearch(event);
    else if (key === "?") document.querySelector("#shortcuts")?.showModal();
    else if (key === "Escape") closeMenus();
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.person[open]"))
      if (!menu.contains(event.target)) menu.open = false;
  });
}

const isTyping = (element) =>
  element.closest?.("input, textarea, select, [contenteditable], dialog[open]") != null;

function focusSearch(event) {
  const search = document.querySelector("[data-search]");
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
}

function closeMenus() {
  for (const menu of document.querySelectorAll("details.person[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
}
