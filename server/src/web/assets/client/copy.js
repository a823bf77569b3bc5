const COPIED_FOR_MS = 1_600;

/** Buttons that copy what they hold. The label says that it worked, for eyes and for ears. */
export function startCopyButtons() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button || button.classList.contains("copied")) return;
    const isDone = await copyText(button.dataset.copy);
    const name = button.getAttribute("aria-label");
    const label = button.textContent;
    const said = isDone ? "Copied" : "Not copied";
    button.classList.toggle("copied", isDone);
    if (name === null) button.textContent = said;
    else button.setAttribute("aria-label", said);
    setTimeout(() => {
      button.classList.remove("copied");
      if (name === null) button.textContent = label;
      else button.setAttribute("aria-label", name);
    }, COPIED_FOR_MS);
  });
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Over plain http other than on this machine there is no clipboard. */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden";
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
  }
}
