/** A table with checkboxes: one for all rows, and how many are selected. */
export function startPicks() {
  document.addEventListener("change", (event) => {
    const form = event.target.closest?.("form[data-picks]");
    if (!form) return;
    const boxes = boxesOf(form);
    if (event.target.matches("[data-pick-all]")) for (const box of boxes) box.checked = event.target.checked;
    showPicks(form);
  });
  for (const form of document.querySelectorAll("form[data-picks]")) showPicks(form);
}

export function showPicks(form) {
  const boxes = boxesOf(form);
  const count = boxes.filter((box) => box.checked).length;
  const all = form.querySelector("[data-pick-all]");
  if (all) {
    all.disabled = false;
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }
  const said = form.querySelector("[data-picked]");
  if (said) said.textContent = count === 0 ? "Select rows to act on them." : `${count} selected`;
  for (const button of form.querySelectorAll(".bulk button")) button.disabled = count === 0;
}

const boxesOf = (form) => [...form.querySelectorAll(".pick input:not([data-pick-all])")];
