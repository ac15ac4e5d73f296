// Follows a running job. Without it the page is the same, only still.
"use strict";
(() => {
  const steps = document.getElementById("steps");
  if (!steps || !window.EventSource) return;
  const groups = { success: "good", fixed: "good", failed: "bad", timedout: "bad", no_tests: "bad", running: "live", queued: "waiting", not_running: "waiting" };
  const maxText = 512 * 1024;
  // The stream starts from the beginning, so what the page holds is written anew.
  const fresh = new Set();

  function step(e) {
    const id = "step-" + e.step + "-" + e.node;
    let at = document.getElementById(id);
    if (!at) {
      document.getElementById("none")?.remove();
      at = document.createElement("details");
      at.className = "step";
      at.id = id;
      at.open = true;
      const head = document.createElement("summary");
      for (const name of ["dot", "title", "hint took"]) {
        const part = document.createElement("span");
        part.className = name;
        head.append(part);
      }
      const log = document.createElement("pre");
      log.tabIndex = 0;
      at.append(head, log);
      steps.append(at);
    }
    if (!fresh.has(id)) {
      fresh.add(id);
      at.querySelector("pre").textContent = "";
      at.querySelector(".more")?.remove();
    }
    return at;
  }

  const source = new EventSource(steps.dataset.events);
  source.onopen = () => fresh.clear();
  source.addEventListener("step", (m) => {
    const e = JSON.parse(m.data), at = step(e);
    at.querySelector(".dot").className = "dot " + e.status;
    const title = at.querySelector(".title");
    title.textContent = e.title + (e.node > 0 ? " (node " + e.node + ")" : "");
    title.title = e.name;
    at.querySelector(".took").textContent = e.took;
  });
  source.addEventListener("output", (m) => {
    const e = JSON.parse(m.data), pre = step(e).querySelector("pre");
    if (pre.textContent.length > maxText) return;
    const end = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;
    pre.append(e.text);
    if (end) pre.scrollTop = pre.scrollHeight;
  });
  source.addEventListener("job", (m) => {
    const e = JSON.parse(m.data), pill = document.querySelector("#status .pill");
    pill.textContent = e.status.replaceAll("_", " ");
    pill.className = "pill is-" + (groups[e.status] || "stopped");
    if (e.ended) {
      source.close();
      // Artifacts, tests and times are on the finished page.
      location.reload();
    }
  });
})();
