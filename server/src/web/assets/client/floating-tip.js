/** One small box for the whole page that says more about what is under the pointer or has the focus. */
export function startFloatingTip() {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  document.documentElement.append(tip);

  const show = (target) => {
    const text = textOf(target);
    if (!text) return;
    tip.textContent = text;
    const place = target.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, place.left + place.width / 2 - width / 2), innerWidth - width - 8);
    const top = place.top > height + 10 ? place.top - height - 6 : place.bottom + 6;
    // Set by script and not by an attribute, which the policy of the page would refuse.
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    tip.classList.add("shown");
  };
  const hide = () => tip.classList.remove("shown");
  const targetOf = (event) => event.target.closest?.("[data-tip], time[title], time[data-exact]");

  for (const type of ["pointerover", "focusin"])
    document.addEventListener(type, (event) => {
      const target = targetOf(event);
      if (target) show(target);
      else hide();
    });
  for (const type of ["focusout", "scroll", "keydown"]) document.addEventListener(type, hide, true);
  document.addEventListener("pointerleave", hide);
}

/** The browser would show a title as well, so it is taken over when it is first needed. */
function textOf(target) {
  if (target.localName === "time") return exactTimeOf(target);
  target.querySelector("title")?.remove();
  return target.dataset.tip;
}

/** The time in UTC as the server wrote it, and below it the same in this machine's zone. */
export function exactTimeOf(element) {
  if (element.title) {
    element.dataset.exact = element.title;
    element.setAttribute("aria-label", `${element.textContent}, ${element.title}`);
    element.removeAttribute("title");
  }
  const at = new Date(element.dateTime);
  if (Number.isNaN(at.getTime())) return element.dataset.exact;
  if (at.getTimezoneOffset() === 0) return element.dataset.exact;
  const local = at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${element.dataset.exact}\n${local} ${zone}`;
}
