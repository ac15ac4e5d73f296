"use strict";
// Everything here adds to pages that work without it.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.parentElement.querySelector("pre, code, input");
    await navigator.clipboard.writeText(text.value === undefined ? text.innerText : text.value);
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  });
}
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!isNaN(at)) time.title = at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" }) + ", " + time.dateTime;
  }
}
localTimes(document);

// A file that is chosen fills the field that takes its content.
for (const chooser of document.querySelectorAll("input[type=file][data-into]")) {
  chooser.parentElement.hidden = false;
  chooser.addEventListener("change", async () => {
    if (chooser.files.length) document.getElementById(chooser.dataset.into).value = await chooser.files[0].text();
  });
}

// The failures to choose from are those of the chosen service and operation. Where neither is chosen the list says so:
// all of them would be too many to look through.
for (const form of document.querySelectorAll("form[data-rule]")) {
  const {service, operation, fault, deed} = form.elements;
  const known = [...document.querySelectorAll("#x-operations option")];
  const all = [...document.querySelectorAll("template#x-failures")].flatMap(t => [...t.content.querySelectorAll("option")])
    .map(option => ({option, service: option.parentElement.label, of: (option.dataset.of || "").split(" ").filter(Boolean)}));
  const about = one => {
    if (service.value !== "" && one.service !== service.value) return false;
    const name = operation.value.trim();
    if (name === "") return service.value !== "";
    if (one.of.length) return one.of.includes(name);
    return service.value !== "" || known.some(o => o.value === name && o.label === one.service);
  };
  const follow = () => {
    const chosen = fault.value, groups = new Map();
    for (const one of all.filter(about)) {
      if (!groups.has(one.service)) {
        groups.set(one.service, Object.assign(document.createElement("optgroup"), {label: one.service}));
      }
      groups.get(one.service).append(one.option.cloneNode(true));
    }
    const empty = service.value + operation.value === "" ? "choose a service first" : groups.size ? "" : "none is known";
    fault.replaceChildren(new Option(empty, ""), ...groups.values());
    fault.value = chosen;
    if (fault.selectedIndex < 0) fault.value = "";
  };
  const need = () => { fault.required = deed.value === "fault"; };
  service.addEventListener("change", follow);
  operation.addEventListener("input", follow);
  deed.addEventListener("change", need);
  follow();
  need();
}

// What was done is said once: a page that is loaded again does not repeat it.
if (new URLSearchParams(location.search).has("done")) {
  const here = new URL(location.href);
  here.searchParams.delete("done");
  history.replaceState(history.state, "", here);
}

// A picture may still be being drawn when the page is there: it is asked for again.
for (const picture of document.querySelectorAll("img.picture")) {
  let tries = 0;
  const again = () => {
    if (++tries > 20) return;
    setTimeout(() => { const from = picture.src; picture.src = ""; picture.src = from; }, 150 * tries);
  };
  picture.addEventListener("error", again);
  if (picture.complete && !picture.naturalWidth) again();
}

// The list of requests grows by itself until it is paused.
const list = document.querySelector("[data-events]");
if (list) {
  const live = document.getElementById("live"), pause = document.getElementById("pause");
  let source = null;
  const show = (on) => {
    live.hidden = false;
    live.textContent = on ? "live" : "paused";
    live.classList.toggle("off", !on);
    pause.textContent = on ? "Pause" : "Go on";
  };
  const begin = () => {
    source = new EventSource(list.dataset.events);
    source.onmessage = (event) => {
      const empty = document.getElementById("no-requests");
      if (empty) empty.remove();
      const holder = document.createElement("template");
      holder.innerHTML = event.data;
      localTimes(holder.content);
      list.prepend(holder.content);
      while (list.children.length > 200) list.lastElementChild.remove();
    };
    source.addEventListener("end", () => { source.close(); show(false); });
    show(true);
  };
  pause.hidden = false;
  pause.addEventListener("click", () => {
    if (source) { source.close(); source = null; show(false); } else { begin(); }
  });
  begin();
}

// The palette: Ctrl+K, or a slash, finds a page by its name.
const menu = document.getElementById("menu");
if (menu && window.HTMLDialogElement) {
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", "Go to a page");
  const input = document.createElement("input");
  input.setAttribute("aria-label", "Page");
  input.placeholder = "Type a part of a page's name, such as tok";
  const found = document.createElement("ul");
  const none = document.createElement("p");
  none.className = "hint";
  none.setAttribute("role", "status");
  dialog.append(input, none, found);
  document.body.append(dialog);
  const links = [...menu.querySelectorAll("a")];
  const usual = ["/console", "/console/requests", "/console/tokens", "/console/dashboards", "/docs/"];
  const fill = () => {
    const word = input.value.toLowerCase();
    const hits = links.filter((a) => a.textContent.toLowerCase().includes(word.trim()));
    none.textContent = hits.length ? "" : "No page has that in its name. These are often looked for; the documentation has a search:";
    const shown = hits.length ? hits : links.filter((a) => usual.includes(a.getAttribute("href")));
    found.replaceChildren(...shown.slice(0, 12).map((a) => {
      const item = document.createElement("li"), link = a.cloneNode(true);
      link.removeAttribute("aria-current");
      item.append(link);
      return item;
    }));
  };
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (event) => {
    const first = found.querySelector("a");
    if (event.key === "Enter" && first && !none.textContent) first.click();
    if (event.key === "ArrowDown" && first) { first.focus(); event.preventDefault(); }
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
      event.preventDefault();
      input.value = "";
      fill();
      dialog.showModal();
    }
  });
}
